import type { Node } from '@vscode/tree-sitter-wasm'
import type { Language } from './language.js'

const literal =
  '[(string_literal) (verbatim_string_literal) (integer_literal) (real_literal) (boolean_literal) (character_literal) (null_literal) (prefix_unary_expression (integer_literal))]'
const type = '[(identifier) @of (generic_name . (identifier) @of) (nullable_type type: (identifier) @of)]'

export const csharp: Language = {
  id: 'csharp',
  family: 'csharp',
  extensions: ['.cs'],
  grammar: 'c-sharp',
  self: ['this'],
  hasBareMembers: true,
  query: `
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(enum_member_declaration name: (identifier) @name) @constant
(enum_member_declaration name: (identifier) @name value: (_) @value) @constant
(property_declaration name: (identifier) @name) @field
(property_declaration type: ${type} name: (identifier) @name) @field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(field_declaration (variable_declaration type: ${type} (variable_declarator name: (identifier) @name))) @field
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name ${literal} @value))) @constant
(method_declaration (attribute_list (attribute name: (identifier) @verb
  (attribute_argument_list . (attribute_argument (string_literal) @name))))) @route

[(block) (lambda_expression) (anonymous_method_expression) (for_statement) (foreach_statement) (catch_clause) (using_statement)] @scope
(parameter name: (identifier) @local)
(parameter type: ${type} name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(local_declaration_statement (variable_declaration type: ${type} (variable_declarator name: (identifier) @local)))
(local_declaration_statement (variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @local (object_creation_expression type: (identifier) @of))))
(foreach_statement left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_pattern type: (identifier) @of name: (identifier) @local)
(type_parameter name: (identifier) @local)

(base_list [(identifier) @inherit (generic_name . (identifier) @inherit)])
(base_list (qualified_name qualifier: (_) @qualifier name: (identifier) @inherit))
(invocation_expression function: [(identifier) @call (generic_name . (identifier) @call)])
(invocation_expression function: (member_access_expression expression: (_) @qualifier
  name: [(identifier) @call (generic_name . (identifier) @call)]))
(invocation_expression function: (conditional_access_expression condition: (_) @qualifier
  (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: [(identifier) @call (generic_name . (identifier) @call)])
(attribute name: (identifier) @typename)
(member_access_expression expression: (_) @qualifier name: (identifier) @use)
(variable_declaration type: [(identifier) @typename (generic_name . (identifier) @typename) (nullable_type (identifier) @typename)])
(parameter type: [(identifier) @typename (generic_name . (identifier) @typename) (nullable_type (identifier) @typename)])
(method_declaration returns: [(identifier) @typename (generic_name . (identifier) @typename)])
(property_declaration type: [(identifier) @typename (generic_name . (identifier) @typename)])
(type_argument_list (identifier) @typename)
(cast_expression type: (identifier) @typename)
(typeof_expression type: (identifier) @typename)
(identifier) @use

(using_directive) @import`,
  imports: node => {
    const path = node.namedChildren.at(-1)?.text ?? ''
    const alias = node.childForFieldName('name')?.text
    if (!alias) return [{ specifier: path, name: '*', local: '' }]
    const parts = path.split('.')
    const name = parts.pop() ?? ''
    return [{ specifier: parts.join('.'), name, local: alias }]
  },
  isExported: ({ node, head }) =>
    /\b(?:public|protected|internal)\b/u.test(head) ||
    node.type === 'enum_member_declaration' ||
    node.parent?.parent?.type === 'interface_declaration',
  packageOf: root => {
    const space = (at: Node): Node | null | undefined =>
      at.namedChildren.find(child => /^(?:file_scoped_)?namespace_declaration$/u.test(child?.type ?? ''))
    return space(root)?.childForFieldName('name')?.text ?? ''
  },
}
