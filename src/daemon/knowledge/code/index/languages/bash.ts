import { type Language, unquoted } from './language.js'

export const bash: Language = {
  id: 'bash',
  family: 'bash',
  extensions: ['.sh', '.bash', '.bats'],
  grammar: 'bash',
  self: [],
  hasBareMembers: false,
  query: `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable
(variable_assignment name: (variable_name) @name value: [(string) (raw_string) (number) (word)] @value) @constant
(declaration_command "local" (variable_assignment name: (variable_name) @local))
(declaration_command "local" (variable_name) @local)
(command name: (command_name (word) @call))
(expansion (variable_name) @use)
(simple_expansion (variable_name) @use)
(command name: (command_name (word) @_source) . argument: (_) (#match? @_source "^([.]|source)$")) @import`,
  imports: node => {
    const path = unquoted(node.childForFieldName('argument')?.text ?? '').replace(/^.*\$[({][^/]*\//u, './')
    return path.includes('$') ? [] : [{ specifier: path, name: '*', local: '' }]
  },
  isExported: () => true,
}
