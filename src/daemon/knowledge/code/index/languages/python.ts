import type { Node } from '@vscode/tree-sitter-wasm'
import type { FoundImport, Language } from './language.js'

const literal = '[(string) (integer) (float) (true) (false) (none) (unary_operator argument: (integer))]'

export const python: Language = {
  id: 'python',
  family: 'python',
  extensions: ['.py', '.pyi'],
  grammar: 'python',
  self: ['self', 'cls'],
  hasBareMembers: false,
  ignored: new Set(
    (
      'bool bytes dict float frozenset int list object set str tuple type property classmethod staticmethod super print len range ' +
      'isinstance issubclass getattr setattr hasattr repr enumerate zip sorted iter next min max any all sum map filter open'
    ).split(' '),
  ),
  query: `
(function_definition name: (identifier) @name) @function
(class_definition body: (block (function_definition name: (identifier) @name) @method))
(class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @name) @method)))
(class_definition name: (identifier) @name) @class
(assignment left: (identifier) @name) @variable
(assignment left: (identifier) @name right: ${literal} @value) @constant
(assignment left: (identifier) @name type: (type (identifier) @of)) @variable
(assignment left: (identifier) @name right: (call function: (identifier) @of)) @variable
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name) (#eq? @_self "self")) @field
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  right: (call function: (identifier) @of) (#eq? @_self "self")) @field
(type_alias_statement left: (type (identifier) @name)) @type
(decorated_definition (decorator (call function: (attribute attribute: (identifier) @verb)
  arguments: (argument_list . (string) @name)))) @route

[(lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(parameters (identifier) @local)
(parameters [(default_parameter name: (identifier) @local) (typed_default_parameter name: (identifier) @local)])
(parameters (typed_parameter . (identifier) @local))
(parameters (typed_parameter . (identifier) @local type: (type (identifier) @of)))
(parameters (typed_default_parameter name: (identifier) @local type: (type (identifier) @of)))
(parameters [(list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)])
(parameters (typed_parameter [(list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)]))
(lambda_parameters (identifier) @local)
(lambda_parameters (default_parameter name: (identifier) @local))
(assignment left: (identifier) @local)
(assignment left: (identifier) @local right: (call function: (identifier) @of))
(assignment left: (identifier) @local type: (type (identifier) @of))
(assignment left: [(pattern_list) (tuple_pattern) (list_pattern)] @locals)
(augmented_assignment left: (identifier) @local)
(for_statement left: (identifier) @local)
(for_statement left: [(pattern_list) (tuple_pattern)] @locals)
(for_in_clause left: (identifier) @local)
(for_in_clause left: [(pattern_list) (tuple_pattern)] @locals)
(as_pattern (as_pattern_target (identifier) @local))
(as_pattern (call function: (identifier) @of) (as_pattern_target (identifier) @local))
(named_expression name: (identifier) @local)

(class_definition superclasses: (argument_list (identifier) @inherit))
(class_definition superclasses: (argument_list (attribute object: (_) @qualifier attribute: (identifier) @inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @inherit)))
(call function: (identifier) @call)
(call function: (attribute object: (_) @qualifier attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute object: (_) @qualifier attribute: (identifier) @call))
(type (identifier) @typename)
(type (attribute object: (_) @qualifier attribute: (identifier) @typename))
(attribute object: (identifier) @qualifier attribute: (identifier) @use)
(identifier) @use

(import_statement) @import
(import_from_statement) @import`,
  imports,
  isExported: ({ name }) => !name.startsWith('_') || /^__\w+__$/u.test(name),
  docInside: definition => {
    const first = definition.childForFieldName('body')?.firstNamedChild
    const string = first?.type === 'expression_statement' ? first.firstNamedChild : first
    return string?.type === 'string'
      ? string.text.replace(/^\w*(?:"""|'''|"|')|(?:"""|'''|"|')$/gu, '')
      : undefined
  },
}

function imports(node: Node): FoundImport[] {
  if (node.type === 'import_statement')
    return node.childrenForFieldName('name').flatMap((one): FoundImport[] => {
      if (one?.type === 'dotted_name') return [{ specifier: one.text, name: '*', local: one.text }]
      const [module, alias] = [one?.childForFieldName('name'), one?.childForFieldName('alias')]
      return module && alias ? [{ specifier: module.text, name: '*', local: alias.text }] : []
    })
  const specifier = node.childForFieldName('module_name')?.text ?? ''
  if (node.namedChildren.some(child => child?.type === 'wildcard_import'))
    return [{ specifier, name: '*', local: '', exported: true }]
  return node.childrenForFieldName('name').flatMap((one): FoundImport[] => {
    const name = one?.type === 'aliased_import' ? one.childForFieldName('name') : one
    const local = one?.type === 'aliased_import' ? one.childForFieldName('alias') : one
    // Names imported by a module can be imported from it.
    return name && local ? [{ specifier, name: name.text, local: local.text, exported: true }] : []
  })
}
