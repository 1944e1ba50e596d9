import type { Node } from '@vscode/tree-sitter-wasm'
import { type FoundImport, type Language, unquoted } from './language.js'

const literal =
  '[(string) (encapsed_string) (integer) (float) (boolean) (null) (unary_op_expression (integer))]'
const type = '[(named_type (name) @of) (optional_type (named_type (name) @of))]'

export const php: Language = {
  id: 'php',
  family: 'php',
  extensions: ['.php', '.phtml'],
  grammar: 'php',
  self: ['$this', 'self', 'static'],
  hasBareMembers: false,
  query: `
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(class_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @constant
(const_element (name) @name (_) @value) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_declaration type: ${type} (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field
(property_promotion_parameter type: ${type} name: (variable_name (name) @name)) @field
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name))
  (argument ${literal} @value)) (#eq? @_define "define")) @constant
(scoped_call_expression scope: (name) @_route name: (name) @verb arguments: (arguments . (argument (string) @name))
  (#eq? @_route "Route")) @route

[(anonymous_function) (arrow_function)] @scope
(simple_parameter name: (variable_name) @local)
(simple_parameter type: ${type} name: (variable_name) @local)
(property_promotion_parameter name: (variable_name) @local)
(assignment_expression left: (variable_name) @local)
(assignment_expression left: (variable_name) @local right: (object_creation_expression (name) @of))
(foreach_statement (variable_name) @local)
(catch_clause name: (variable_name) @local)

(base_clause (name) @inherit)
(class_interface_clause (name) @inherit)
(use_declaration (name) @inherit)
(function_call_expression function: [(name) @call (qualified_name prefix: (_) @qualifier (name) @call)])
(member_call_expression object: (_) @qualifier name: (name) @call)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @call)
(scoped_call_expression scope: (_) @qualifier name: (name) @call)
(object_creation_expression (name) @call)
(class_constant_access_expression . (_) @qualifier (name) @use .)
(member_access_expression object: (variable_name) @qualifier name: (name) @use)
(named_type (name) @typename)
(name) @use

(namespace_use_declaration) @import
(expression_statement [(require_once_expression) (require_expression) (include_expression) (include_once_expression)]) @import`,
  imports: node => {
    if (node.type === 'expression_statement') {
      const path = node.descendantsOfType(['string', 'encapsed_string'])[0]
      return path ? [{ specifier: unquoted(path.text), name: '*', local: '' }] : []
    }
    const prefix = node.namedChildren.find(child => child?.type === 'namespace_name')?.text
    return node
      .descendantsOfType('namespace_use_clause')
      .flatMap(clause => (clause ? usedBy(clause, prefix) : []))
  },
  isExported: ({ head }) => !/\b(?:private|protected)\b/u.test(head),
  packageOf: root =>
    (
      root.namedChildren.find(child => child?.type === 'namespace_definition')?.childForFieldName('name')
        ?.text ?? ''
    ).replaceAll('\\', '.'),
}

function usedBy(clause: Node, prefix: string | undefined): FoundImport[] {
  const [path] = clause.namedChildren
  const alias =
    clause.childForFieldName('alias') ??
    clause.namedChildren.find(child => child?.type === 'namespace_aliasing_clause')?.namedChildren[0]
  const parts = [prefix, path?.text].filter(Boolean).join('\\').replace(/^\\/u, '').split('\\')
  const name = parts.pop() ?? ''
  return [{ specifier: parts.join('.'), name, local: alias?.text ?? name }]
}
