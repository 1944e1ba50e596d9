import { type Language, unquoted } from './language.js'

const literal =
  '[(string_literal) (number_literal) (true) (false) (char_literal) (unary_expression argument: (number_literal))]'
const type = '[(type_identifier) @of (qualified_identifier name: (type_identifier) @of)]'
const named =
  '[(identifier) @local (pointer_declarator declarator: (identifier) @local) (reference_declarator (identifier) @local)]'

/** Also used for C: the grammar of C++ covers everything that matters here. */
export const cpp: Language = {
  id: 'cpp',
  family: 'cpp',
  extensions: ['.cpp', '.cc', '.cxx', '.c++', '.hpp', '.hh', '.hxx', '.h', '.c', '.ipp', '.inl'],
  grammar: 'cpp',
  self: ['this'],
  hasBareMembers: true,
  query: `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name))) @method
(function_definition declarator: (_ declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @method
(function_definition declarator: (function_declarator declarator: [(field_identifier) (destructor_name)] @name)) @method
(function_definition declarator: (_ declarator: (function_declarator declarator: (field_identifier) @name))) @method
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @method
(field_declaration declarator: (_ declarator: (function_declarator declarator: (field_identifier) @name))) @method
(field_declaration declarator: (field_identifier) @name) @field
(field_declaration type: ${type} declarator: [(field_identifier) @name (pointer_declarator declarator: (field_identifier) @name)]) @field
(class_specifier name: (type_identifier) @name body: (_)) @class
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @constant
(enumerator name: (identifier) @name value: (_) @value) @constant
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(namespace_definition name: (_) @name) @module
(preproc_def name: (identifier) @name) @constant
(preproc_def name: (identifier) @name value: (preproc_arg) @value) @constant
(preproc_function_def name: (identifier) @name) @function
(declaration (type_qualifier) declarator: (init_declarator declarator: (identifier) @name value: ${literal} @value)) @constant
(declaration declarator: (init_declarator declarator: (identifier) @name)) @variable

[(compound_statement) (lambda_expression) (for_statement) (for_range_loop) (catch_clause) (if_statement)] @scope
(parameter_declaration declarator: ${named})
(parameter_declaration type: ${type} declarator: ${named})
(optional_parameter_declaration declarator: ${named})
(declaration declarator: ${named})
(declaration type: ${type} declarator: ${named})
(declaration declarator: (init_declarator declarator: ${named}))
(declaration type: ${type} declarator: (init_declarator declarator: ${named}))
(declaration declarator: (init_declarator declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local)]
  value: (new_expression type: (type_identifier) @of)))
(for_range_loop declarator: ${named})
(type_parameter_declaration (type_identifier) @local)

(base_class_clause [(type_identifier) @inherit (template_type name: (type_identifier) @inherit)
  (qualified_identifier name: (type_identifier) @inherit)])
(call_expression function: (identifier) @call)
(call_expression function: (qualified_identifier scope: (_) @qualifier name: (identifier) @call))
(call_expression function: (field_expression argument: (_) @qualifier field: (field_identifier) @call))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)
(qualified_identifier scope: (_) @qualifier name: (type_identifier) @typename)
(type_identifier) @typename
(field_expression argument: [(this) (identifier)] @qualifier field: (field_identifier) @use)
(identifier) @use

(preproc_include) @import`,
  imports: node => {
    const path = node.childForFieldName('path')
    if (!path) return []
    const specifier = path.type === 'system_lib_string' ? path.text.slice(1, -1) : unquoted(path.text)
    return [{ specifier, name: '*', local: '' }]
  },
  isExported: ({ head }) => !/^\s*static\b/u.test(head),
}
