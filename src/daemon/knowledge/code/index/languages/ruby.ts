import { type Language, unquoted } from './language.js'

const literal = '[(string) (integer) (float) (true) (false) (nil) (simple_symbol)]'

export const ruby: Language = {
  id: 'ruby',
  family: 'ruby',
  extensions: ['.rb', '.rake', '.gemspec'],
  fileNames: ['Rakefile', 'Gemfile'],
  grammar: 'ruby',
  self: ['self'],
  hasBareMembers: true,
  query: `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @class
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @module
(assignment left: (constant) @name) @constant
(assignment left: (constant) @name right: ${literal} @value) @constant
(call method: (identifier) @verb arguments: (argument_list . (string) @name)) @route

[(do_block) (block) (lambda)] @scope
(method_parameters [(identifier) @local (optional_parameter name: (identifier) @local) (keyword_parameter name: (identifier) @local)
  (splat_parameter name: (identifier) @local) (hash_splat_parameter name: (identifier) @local) (block_parameter name: (identifier) @local)])
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (identifier) @local right: (call receiver: (constant) @of method: (identifier) @_new) (#eq? @_new "new"))
(assignment left: (left_assignment_list (identifier) @local))
(exception_variable (identifier) @local)

(superclass [(constant) @inherit (scope_resolution scope: (_) @qualifier name: (constant) @inherit)])
(call !receiver method: (identifier) @_include arguments: (argument_list (constant) @inherit)
  (#match? @_include "^(include|extend|prepend)$"))
(call !receiver method: (identifier) @call)
(call receiver: (_) @qualifier method: (identifier) @call)
(body_statement (identifier) @call)
(scope_resolution scope: (_) @qualifier name: (constant) @typename)
(constant) @typename

(call method: (identifier) @_require arguments: (argument_list . (string)) (#match? @_require "^require(_relative)?$")) @import`,
  imports: node => {
    const path = unquoted(node.childForFieldName('arguments')?.namedChildren[0]?.text ?? '')
    const isRelative = node.childForFieldName('method')?.text === 'require_relative'
    return [{ specifier: isRelative && !path.startsWith('.') ? `./${path}` : path, name: '*', local: '' }]
  },
  isExported: ({ name }) => !name.startsWith('_'),
}
