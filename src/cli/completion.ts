/** `almanac completion`: scripts by which shells complete commands and flags. They ask `almanac __complete`. */
import { Command } from 'commander'
import { queryError } from '../primitives/errors.ts'
import type { Terminal } from './terminal.ts'

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_almanac() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(almanac __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _almanac almanac
`,
  zsh: `#compdef almanac
_almanac() {
  local -a found
  found=("\${(@f)$(almanac __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _almanac almanac
`,
  fish: `complete -c almanac -f -a '(almanac __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

/** Runs `almanac completion` with the arguments after its name. Returns the exit code. */
export async function completion(args: readonly string[]): Promise<number> {
  const shells = Object.keys(SCRIPTS).join(', ')
  const command = new Command('almanac completion')
    .description('Print the script by which a shell completes commands; docs/cli.md says where it goes')
    .argument('<shell>', shells)
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const script = SCRIPTS[command.args[0]!]
  if (script === undefined) throw queryError('invalidArgument', `shell ${command.args[0]}: must be one of ${shells}`)
  process.stdout.write(script)
  return 0
}

const silent: Terminal = {
  print: () => {},
  note: () => {},
  interactive: false,
  ask: async () => undefined,
  askSecret: async () => undefined,
}

/** The trees of commands with subcommands. Each is loaded when its names are asked for. */
const TREES: Readonly<Record<string, () => Promise<Command>>> = {
  keys: async () => (await import('./keys.ts')).keysCommand(silent),
  tx: async () => (await import('./tx.ts')).txCommand(silent),
  query: async () => (await import('./query.ts')).queryCommand(silent),
  genesis: async () => (await import('./genesis.ts')).genesisCommand(),
}

/** Words after commands without a tree. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  completion: Object.keys(SCRIPTS),
  config: ['get', 'set'],
  snapshot: ['create', 'list', 'restore', 'delete'],
  testnet: ['start', 'add'],
  upgrade: ['rehearse', 'preflight'],
}

/** Returns what can follow the words before the last, which is being typed. `names` are those of all commands. */
export async function candidates(words: readonly string[], names: readonly string[]): Promise<readonly string[]> {
  const [first, ...rest] = words
  if (words.length <= 1) return names
  const tree = TREES[first === 'q' ? 'query' : first!]
  if (!tree) return rest.length === 1 ? (WORDS[first!] ?? []) : []
  let command = await tree()
  for (const word of rest.slice(0, -1)) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next) command = next
  }
  const typed = rest.at(-1) ?? ''
  if (typed.startsWith('-')) return command.options.flatMap(({ long }) => (long ? [long] : []))
  return command.commands.map((one) => one.name())
}
