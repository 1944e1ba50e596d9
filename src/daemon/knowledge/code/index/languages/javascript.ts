import type { Node } from '@vscode/tree-sitter-wasm'
import { type FoundImport, type Language, unquoted } from './language.js'

const shared = `
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(lexical_declaration "const" (variable_declarator name: (identifier) @name
  value: [(string) (number) (template_string) (true) (false) (null) (regex) (unary_expression argument: (number))] @value) @constant)
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: (identifier) @name value: (new_expression constructor: (identifier) @of)) @variable
(assignment_expression left: (member_expression object: (this) property: (property_identifier) @name)
  right: (new_expression constructor: (identifier) @of)) @field
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(expression_statement (assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(function_expression) (arrow_function)]) @method)
(call_expression function: (member_expression object: (identifier) property: (property_identifier) @verb)
  arguments: (arguments . (string) @name . (_))) @route

[(statement_block) (for_statement) (for_in_statement) (catch_clause) (arrow_function) (function_expression)
  (generator_function) (class_static_block)] @scope
(variable_declarator name: (identifier) @local)
(variable_declarator name: (identifier) @local value: (new_expression constructor: (identifier) @of))
(variable_declarator name: [(object_pattern) (array_pattern)] @locals)
(catch_clause parameter: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
(function_expression name: (identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @qualifier property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @qualifier property: (property_identifier) @call))
(member_expression object: [(identifier) (this)] @qualifier property: (property_identifier) @use)
(identifier) @use
(shorthand_property_identifier) @use

(import_statement) @import
(export_statement) @import
(call_expression function: (identifier) @_require arguments: (arguments (string)) (#eq? @_require "require")) @import
(call_expression function: (import) arguments: (arguments (string))) @import
(assignment_expression left: (member_expression)) @import
`

const jsx = `
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
`

const javascriptOnly = `
(class_declaration name: (identifier) @name) @class
(field_definition property: (property_identifier) @name) @field
(field_definition property: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(class_heritage (identifier) @inherit)
(class_heritage (member_expression object: (_) @qualifier property: (property_identifier) @inherit))
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(formal_parameters (rest_pattern (identifier) @local))
(formal_parameters [(object_pattern) (array_pattern)] @locals)
`

const typescriptOnly = `
(function_signature name: (identifier) @name) @function
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(internal_module name: (_) @name) @module
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(public_field_definition name: (property_identifier) @name) @field
(public_field_definition name: (property_identifier) @name type: (type_annotation (type_identifier) @of)) @field
(public_field_definition name: (property_identifier) @name value: (new_expression constructor: (identifier) @of)) @field
(public_field_definition name: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (type_annotation (type_identifier) @of)) @field
(property_signature name: (property_identifier) @name) @field
(enum_body (property_identifier) @name @constant)
(enum_body (enum_assignment name: (property_identifier) @name value: (_) @value) @constant)

(variable_declarator name: (identifier) @local type: (type_annotation (type_identifier) @of))
(required_parameter pattern: (identifier) @local)
(required_parameter pattern: (identifier) @local type: (type_annotation (type_identifier) @of))
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (rest_pattern (identifier) @local))
(optional_parameter pattern: (identifier) @local type: (type_annotation (type_identifier) @of))
(required_parameter pattern: [(object_pattern) (array_pattern)] @locals)
(type_parameter name: (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)
(infer_type (type_identifier) @local)

(extends_clause value: (identifier) @inherit)
(extends_clause value: (member_expression object: (_) @qualifier property: (property_identifier) @inherit))
(implements_clause (type_identifier) @inherit)
(implements_clause (generic_type name: (type_identifier) @inherit))
(extends_type_clause (type_identifier) @inherit)
(extends_type_clause (generic_type name: (type_identifier) @inherit))
(type_identifier) @typename
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @typename)
`

const rules = {
  family: 'javascript',
  self: ['this'],
  hasBareMembers: false,
  ignored: new Set(
    (
      'require Promise Map Set Array Object String Number Boolean Error Record Partial Readonly Pick Omit ReadonlyArray Date ' +
      'JSON Math Symbol RegExp Buffer Uint8Array'
    ).split(' '),
  ),
  imports,
  isExported: ({ node, name, head }: { node: Node; name: string; head: string }): boolean => {
    if (name.startsWith('#') || /\b(?:private|protected)\b/u.test(head)) return false
    for (let at: Node | null = node; at; at = at.parent) {
      if (at.type === 'export_statement') return true
      if (!outward.has(at.type)) return false
    }
    return false
  },
}

/** Node types between a definition and its export statement; a member is as visible as its type. */
const outward = new Set([
  'class_declaration',
  'abstract_class_declaration',
  'interface_declaration',
  'type_alias_declaration',
  'enum_declaration',
  'internal_module',
  'module',
  'function_declaration',
  'generator_function_declaration',
  'function_signature',
  'lexical_declaration',
  'variable_declaration',
  'variable_declarator',
  'class_body',
  'interface_body',
  'enum_body',
  'enum_assignment',
  'property_identifier',
  'method_definition',
  'method_signature',
  'abstract_method_signature',
  'public_field_definition',
  'field_definition',
  'property_signature',
  'object_type',
  'expression_statement',
  'ambient_declaration',
  'statement_block',
  'pair',
  'object',
])

export const typescript: Language = {
  ...rules,
  id: 'typescript',
  extensions: ['.ts', '.mts', '.cts'],
  grammar: 'typescript',
  query: shared + typescriptOnly,
}

export const tsx: Language = {
  ...rules,
  id: 'tsx',
  extensions: ['.tsx'],
  grammar: 'tsx',
  query: shared + typescriptOnly + jsx,
}

export const javascript: Language = {
  ...rules,
  id: 'javascript',
  extensions: ['.js', '.mjs', '.cjs', '.jsx'],
  grammar: 'javascript',
  query: shared + javascriptOnly + jsx,
}

function imports(node: Node): FoundImport[] {
  if (node.type === 'import_statement') return importsOf(node)
  if (node.type === 'export_statement') return exportsOf(node)
  if (node.type === 'call_expression') return importsOfRequire(node)
  return exportsOfAssignment(node)
}

function importsOf(node: Node): FoundImport[] {
  const source = node.childForFieldName('source')
  if (!source) return []
  const specifier = unquoted(source.text)
  const clause = node.namedChildren.find(child => child?.type === 'import_clause')
  if (!clause) return [{ specifier, name: '', local: '' }]
  return clause.namedChildren.flatMap((part): FoundImport[] => {
    if (part?.type === 'identifier') return [{ specifier, name: 'default', local: part.text }]
    if (part?.type === 'namespace_import')
      return [{ specifier, name: '*', local: part.namedChildren[0]?.text ?? '' }]
    return part?.type === 'named_imports' ? namesIn(part, specifier) : []
  })
}

/** `{ a, b as c }` of an import or an export. */
function namesIn(list: Node, specifier: string): FoundImport[] {
  return list.namedChildren.flatMap(one => {
    const name = one?.childForFieldName('name')
    if (!name) return []
    return [
      {
        specifier,
        name: unquoted(name.text),
        local: unquoted((one?.childForFieldName('alias') ?? name).text),
      },
    ]
  })
}

/**
 * Returns re-exports of a file, including its own names exported under another one, with the specifier `.`.
 */
function exportsOf(node: Node): FoundImport[] {
  const source = node.childForFieldName('source')
  const specifier = source ? unquoted(source.text) : '.'
  const found = node.namedChildren.flatMap((part): FoundImport[] => {
    if (part?.type === 'export_clause') return namesIn(part, specifier)
    if (part?.type === 'namespace_export')
      return [{ specifier, name: '*', local: part.namedChildren[0]?.text ?? '' }]
    return []
  })
  if (source && found.length === 0) found.push({ specifier, name: '*', local: '' })
  const value = node.children.some(child => child?.type === 'default')
    ? (node.childForFieldName('value') ?? node.childForFieldName('declaration'))
    : undefined
  const name = value?.type === 'identifier' ? value : value?.childForFieldName('name')
  if (name) found.push({ specifier: '.', name: name.text, local: 'default' })
  return found.map(one => ({ ...one, exported: true }))
}

/** `const a = require('b')`, `const { a, b: c } = require('d')`, and the same with `await import('b')`. */
function importsOfRequire(node: Node): FoundImport[] {
  const specifier = unquoted(node.childForFieldName('arguments')?.namedChildren[0]?.text ?? '')
  const taker = node.parent?.type === 'await_expression' ? node.parent.parent : node.parent
  if (taker?.type === 'member_expression' && taker.parent?.type === 'variable_declarator') {
    const local = taker.parent.childForFieldName('name')
    const name = taker.childForFieldName('property')
    return local?.type === 'identifier' && name ? [{ specifier, name: name.text, local: local.text }] : []
  }
  const pattern = taker?.type === 'variable_declarator' ? taker.childForFieldName('name') : null
  if (pattern?.type === 'identifier') return [{ specifier, name: '*', local: pattern.text }]
  if (pattern?.type !== 'object_pattern') return [{ specifier, name: '', local: '' }]
  return pattern.namedChildren.flatMap((one): FoundImport[] => {
    if (one?.type === 'shorthand_property_identifier_pattern')
      return [{ specifier, name: one.text, local: one.text }]
    const [key, value] = [one?.childForFieldName('key'), one?.childForFieldName('value')]
    return key && value?.type === 'identifier' ? [{ specifier, name: key.text, local: value.text }] : []
  })
}

/** `module.exports = a`, `module.exports = { a, b: c }` and `exports.a = b`. */
function exportsOfAssignment(node: Node): FoundImport[] {
  const left = node.childForFieldName('left')?.text ?? ''
  const right = node.childForFieldName('right')
  const handedOn = { specifier: '.', exported: true }
  const named = /^(?:module\.)?exports\.(\w+)$/u.exec(left)?.[1]
  if (named) return right?.type === 'identifier' ? [{ ...handedOn, name: right.text, local: named }] : []
  if (left !== 'module.exports' || !right) return []
  if (right.type !== 'object') {
    const name = right.type === 'identifier' ? right : right.childForFieldName('name')
    return name ? [{ ...handedOn, name: name.text, local: 'default' }] : []
  }
  return right.namedChildren.flatMap((one): FoundImport[] => {
    if (one?.type === 'shorthand_property_identifier')
      return [{ ...handedOn, name: one.text, local: one.text }]
    const [key, value] = [one?.childForFieldName('key'), one?.childForFieldName('value')]
    return key && value?.type === 'identifier' ? [{ ...handedOn, name: value.text, local: key.text }] : []
  })
}
