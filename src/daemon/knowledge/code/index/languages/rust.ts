import type { Node } from '@vscode/tree-sitter-wasm'
import type { FoundImport, Language } from './language.js'

const literal =
  '[(string_literal) (raw_string_literal) (integer_literal) (float_literal) (boolean_literal) (char_literal) (unary_expression (integer_literal))]'
const type =
  '[(type_identifier) @of (reference_type type: (type_identifier) @of) (generic_type type: (type_identifier) @of)]'

export const rust: Language = {
  id: 'rust',
  family: 'rust',
  extensions: ['.rs'],
  grammar: 'rust',
  self: ['self', 'Self'],
  hasBareMembers: false,
  ignored: new Set([
    'Self',
    'Ok',
    'Err',
    'Some',
    'None',
    'Option',
    'Result',
    'Vec',
    'Box',
    'String',
    'vec',
    'format',
    'println',
  ]),
  query: `
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @method
(impl_item type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner)]
  body: (declaration_list (function_item name: (identifier) @name) @method))
(impl_item type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner)]
  body: (declaration_list (const_item name: (identifier) @name) @constant))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @method))
(struct_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @function
(enum_variant name: (identifier) @name) @constant
(enum_variant name: (identifier) @name value: (_) @value) @constant
(field_declaration name: (field_identifier) @name) @field
(field_declaration name: (field_identifier) @name type: ${type}) @field
(const_item name: (identifier) @name) @constant
(const_item name: (identifier) @name value: ${literal} @value) @constant
(static_item name: (identifier) @name) @variable
(static_item name: (identifier) @name value: ${literal} @value) @constant

[(block) (closure_expression) (match_arm) (if_expression) (while_expression) (for_expression)] @scope
(parameter pattern: (identifier) @local)
(parameter pattern: (identifier) @local type: ${type})
(parameter pattern: (mut_pattern (identifier) @local))
(parameter pattern: [(tuple_pattern) (struct_pattern) (tuple_struct_pattern)] @locals)
(closure_parameters (identifier) @local)
(closure_parameters [(tuple_pattern) (reference_pattern)] @locals)
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (identifier) @local type: ${type})
(let_declaration pattern: (identifier) @local value: (struct_expression name: (type_identifier) @of))
(let_declaration pattern: (identifier) @local
  value: (call_expression function: (scoped_identifier path: (identifier) @of name: (identifier) @_new) (#eq? @_new "new")))
(let_declaration pattern: [(tuple_pattern) (struct_pattern) (tuple_struct_pattern) (slice_pattern)] @locals)
(let_condition pattern: (_) @locals)
(match_pattern (_) @locals)
(for_expression pattern: (identifier) @local)
(for_expression pattern: (tuple_pattern) @locals)
(type_parameter name: (type_identifier) @local)

(impl_item trait: [(type_identifier) @inherit (generic_type type: (type_identifier) @inherit)
    (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @inherit)]
  type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])
(trait_bounds (type_identifier) @typename)
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @qualifier name: (identifier) @call))
(call_expression function: (field_expression value: (_) @qualifier field: (field_identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier path: (_) @qualifier name: (identifier) @call)))
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @call)
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @typename)
(scoped_identifier path: (_) @qualifier name: (identifier) @use)
(field_expression value: (self) @qualifier field: (field_identifier) @use)
(type_identifier) @typename
(identifier) @use

(use_declaration) @import
(mod_item !body) @import`,
  // Hides from the grammar a macro named after a primitive type, and the manifest at the beginning of a
  // script.
  legible: text =>
    text
      .replace(/(?<![\w:])str!(?=\s*[[({])/gu, 'Str!')
      .replace(/^(?:#!(?!\[).*\n)?\s*(-{3,})(?!-).*\n(?:[\s\S]*?\n)?\1[ \t]*(?=\n|$)/u, head =>
        head.replace(/[^\n]/gu, ' '),
      ),
  imports: node => {
    if (node.type === 'mod_item') {
      const name = node.childForFieldName('name')?.text ?? ''
      return [{ specifier: `self::${name}`, name: '*', local: name }]
    }
    const tree = node.childForFieldName('argument')
    const exported = node.namedChildren.some(child => child?.type === 'visibility_modifier')
    return tree ? usesOf(tree, '').map(one => ({ ...one, exported })) : []
  },
  isExported: ({ node }) => {
    const outer = node.parent?.parent
    return (
      node.namedChildren.some(child => child?.type === 'visibility_modifier') ||
      ['enum_variant', 'function_signature_item'].includes(node.type) ||
      outer?.type === 'trait_item' ||
      (outer?.type === 'impl_item' && outer.childForFieldName('trait') !== null)
    )
  },
  packageOf: (_root, path) => moduleOf(path),
}

/**
 * Returns the module name of a file, prefixed with its crate's folder: `crates/a/src/b/mod.rs` is
 * `crates.a.b`.
 */
export function moduleOf(path: string): string {
  return path
    .replace(/\.rs$/u, '')
    .split('/')
    .filter(part => !['src', 'mod', 'lib', 'main'].includes(part))
    .join('.')
}

/** Splits `a::{b, c as d, e::*}` into names, the last part of each path, and modules, the parts before. */
function usesOf(node: Node, before: string): FoundImport[] {
  const joined = (text: string): string => (before ? `${before}::${text}` : text)
  const taken = (path: string, local?: string): FoundImport => {
    const parts = path.split('::')
    const name = parts.pop() ?? ''
    if (name === 'self') return { specifier: parts.join('::'), name: '*', local: local ?? parts.at(-1) ?? '' }
    return { specifier: parts.join('::'), name, local: local ?? name }
  }
  switch (node.type) {
    case 'use_list':
      return node.namedChildren.flatMap(child => (child ? usesOf(child, before) : []))
    case 'scoped_use_list': {
      const list = node.childForFieldName('list')
      const path = node.childForFieldName('path')?.text
      return list ? usesOf(list, path ? joined(path) : before) : []
    }
    case 'use_as_clause':
      return [
        taken(joined(node.childForFieldName('path')?.text ?? ''), node.childForFieldName('alias')?.text),
      ]
    case 'use_wildcard':
      return [{ specifier: joined(node.namedChildren[0]?.text ?? ''), name: '*', local: '' }]
    default:
      return [taken(joined(node.text))]
  }
}
