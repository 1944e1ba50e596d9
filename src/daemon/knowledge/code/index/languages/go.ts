import { type Language, unquoted } from './language.js'

export const go: Language = {
  id: 'go',
  family: 'go',
  extensions: ['.go'],
  grammar: 'go',
  self: [],
  hasBareMembers: false,
  ignored: new Set(
    (
      'any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 ' +
      'uint16 uint32 uint64 uintptr append cap clear close copy delete len make max min new panic print println recover'
    ).split(' '),
  ),
  query: `
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration
  type: [(type_identifier) @owner (pointer_type (type_identifier) @owner) (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))])) name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name) @type
(type_spec name: (type_identifier) @name type: (struct_type)) @class
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_alias name: (type_identifier) @name) @type
(method_elem name: (field_identifier) @name) @method
(field_declaration name: (field_identifier) @name) @field
(field_declaration name: (field_identifier) @name
  type: [(type_identifier) @of (pointer_type (type_identifier) @of) (qualified_type) @of (pointer_type (qualified_type) @of)]) @field
(const_spec name: (identifier) @name value: (expression_list . [(interpreted_string_literal) (raw_string_literal)
  (int_literal) (float_literal) (rune_literal) (true) (false) (unary_expression operand: (int_literal))] @value .)) @constant
(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @variable
(var_spec name: (identifier) @name type: [(type_identifier) @of (pointer_type (type_identifier) @of)]) @variable

[(block) (func_literal) (if_statement) (for_statement) (expression_case) (type_case) (communication_case)
  (expression_switch_statement) (type_switch_statement)] @scope
(parameter_declaration name: (identifier) @local)
(parameter_declaration name: (identifier) @local
  type: [(type_identifier) @of (pointer_type (type_identifier) @of) (qualified_type) @of (pointer_type (qualified_type) @of)])
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(short_var_declaration left: (expression_list . (identifier) @local .) right: (expression_list .
  [(composite_literal type: [(type_identifier) (qualified_type)] @of)
   (unary_expression operand: (composite_literal type: [(type_identifier) (qualified_type)] @of))] .))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(var_spec name: (identifier) @local type: [(type_identifier) @of (pointer_type (type_identifier) @of) (qualified_type) @of
  (pointer_type (qualified_type) @of)])
(const_spec name: (identifier) @local)
(type_parameter_declaration name: (identifier) @local)

(struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) @inherit
  (pointer_type (type_identifier) @inherit)])))
(struct_type (field_declaration_list (field_declaration !name type: (qualified_type package: (_) @qualifier name: (_) @inherit))))
(interface_type (type_elem (type_identifier) @inherit))
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @qualifier field: (field_identifier) @call))
(composite_literal type: (type_identifier) @call)
(composite_literal type: (qualified_type package: (_) @qualifier name: (type_identifier) @call))
(qualified_type package: (_) @qualifier name: (type_identifier) @typename)
(type_identifier) @typename
(selector_expression operand: (identifier) @qualifier field: (field_identifier) @use)
(identifier) @use

(import_spec) @import`,
  imports: node => {
    const path = node.childForFieldName('path')
    const alias = node.childForFieldName('name')?.text
    if (!path) return []
    const specifier = unquoted(path.text)
    if (alias === '_') return [{ specifier, name: '', local: '' }]
    if (alias === '.') return [{ specifier, name: '*', local: '' }]
    // A version at the end of a path is not part of the name.
    const named =
      specifier
        .replace(/\/v\d+$/u, '')
        .split('/')
        .at(-1) ?? specifier
    return [{ specifier, name: '*', local: alias ?? named.replace(/^go-|\.v\d+$/gu, '') }]
  },
  isExported: ({ name }) => /^\p{Lu}/u.test(name),
  packageOf: root =>
    root.namedChildren.find(child => child?.type === 'package_clause')?.namedChildren[0]?.text ?? '',
}
