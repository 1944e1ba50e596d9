import type { Language } from './language.js'

const literal =
  '[(string_literal) (decimal_integer_literal) (hex_integer_literal) (decimal_floating_point_literal) (character_literal) (true) (false) (unary_expression operand: (decimal_integer_literal))]'
const type = '[(type_identifier) @of (generic_type . (type_identifier) @of)]'

export const java: Language = {
  id: 'java',
  family: 'java',
  extensions: ['.java'],
  grammar: 'java',
  self: ['this'],
  hasBareMembers: true,
  query: `
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @constant
(field_declaration type: (_) declarator: (variable_declarator name: (identifier) @name)) @field
(field_declaration type: ${type} declarator: (variable_declarator name: (identifier) @name)) @field
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name value: ${literal} @value)) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name value: (_) @value)) @constant
(method_declaration (modifiers (annotation name: (identifier) @verb
  arguments: (annotation_argument_list . (string_literal) @name)))) @route

[(block) (lambda_expression) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement)] @scope
(formal_parameter name: (identifier) @local)
(formal_parameter type: ${type} name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(local_variable_declaration type: ${type} declarator: (variable_declarator name: (identifier) @local))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local
  value: (object_creation_expression type: (type_identifier) @of)))
(enhanced_for_statement name: (identifier) @local)
(enhanced_for_statement type: ${type} name: (identifier) @local)
(resource name: (identifier) @local)
(resource type: ${type} name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(type_parameter (type_identifier) @local)
(type_pattern (type_identifier) @of (identifier) @local)
(instanceof_expression right: (type_identifier) @of name: (identifier) @local)

(superclass (type_identifier) @inherit)
(superclass (generic_type . (type_identifier) @inherit))
(super_interfaces (type_list [(type_identifier) @inherit (generic_type . (type_identifier) @inherit)]))
(extends_interfaces (type_list [(type_identifier) @inherit (generic_type . (type_identifier) @inherit)]))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @qualifier name: (identifier) @call)
(object_creation_expression type: [(type_identifier) @call (generic_type . (type_identifier) @call)])
(method_reference . (_) @qualifier (identifier) @use .)
(marker_annotation name: (identifier) @typename)
(annotation name: (identifier) @typename)
(scoped_type_identifier . (type_identifier) @qualifier (type_identifier) @typename .)
(type_identifier) @typename
(field_access object: (_) @qualifier field: (identifier) @use)
(identifier) @use

(import_declaration) @import`,
  imports: node => {
    const path = node.namedChildren.find(
      child => child?.type === 'scoped_identifier' || child?.type === 'identifier',
    )
    if (!path) return []
    if (node.namedChildren.some(child => child?.type === 'asterisk'))
      return [{ specifier: path.text, name: '*', local: '' }]
    const parts = path.text.split('.')
    const name = parts.pop() ?? ''
    return [{ specifier: parts.join('.'), name, local: name }]
  },
  isExported: ({ node, head }) =>
    /\b(?:public|protected)\b/u.test(head) ||
    ['enum_constant', 'constant_declaration'].includes(node.type) ||
    node.parent?.type === 'interface_body',
  packageOf: root =>
    root.namedChildren.find(child => child?.type === 'package_declaration')?.namedChildren.at(-1)?.text ?? '',
}
