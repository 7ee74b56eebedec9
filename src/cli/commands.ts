/** The table of commands. Each is loaded when it runs. */
import { Command, CommanderError } from 'commander'
import type { Build } from '../node/build.ts'
import { ChainError } from '../primitives/errors.ts'
import { shortWords, visibleText } from '../primitives/visible-text.ts'
import { ERASE_LINE } from './erase-line.ts'

type Run = (args: readonly string[], build?: Build) => Promise<number>

interface Entry {
  readonly name: string
  readonly about: string
  readonly load: () => Promise<Run>
}

/** The commands, in the order of the help. Each parses the arguments after its name itself. */
const COMMANDS: readonly Entry[] = [
  { name: 'start', about: 'Run a chain', load: async () => (await import('./start.ts')).start },
  {
    name: 'dev',
    about: 'Run a development chain with the flags of anvil',
    load: async () => (await import('./dev/dev.ts')).dev,
  },
  {
    name: 'follow',
    about: 'Serve a replica of a chain beside one of its nodes',
    load: async () => (await import('./follow.ts')).follow,
  },
  {
    name: 'listen',
    about: 'Write the state changes of a node that starts this as its plugin',
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    name: 'status',
    about: 'Show height, app hash and health of a running node',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'config',
    about: 'Print the effective settings: config, config get, config set',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'init',
    about: 'Prepare a home for a chain with a genesis document of its own',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'reset',
    about: 'Delete a chain, but keep its settings and keys',
    load: async () => (await import('./reset.ts')).reset,
  },
  {
    name: 'reindex',
    about: 'Rebuild the indexes from the blocks',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  {
    name: 'rollback',
    about: 'Return a stopped chain to a stored height',
    load: async () => (await import('./rollback.ts')).rollback,
  },
  {
    name: 'snapshot',
    about: 'Manage snapshots of the state: create, list, restore, delete, dump, load',
    load: async () => (await import('./snapshot.ts')).snapshot,
  },
  {
    name: 'backup',
    about: 'Copy a home into a folder, also while a node runs in it',
    load: async () => (await import('./operation/backup.ts')).backup,
  },
  {
    name: 'restore',
    about: 'Make a home from a backup, and verify it',
    load: async () => (await import('./operation/restore.ts')).restore,
  },
  {
    name: 'doctor',
    about: 'Check a home and its machine, and say what mends a fault',
    load: async () => (await import('./operation/doctor.ts')).doctor,
  },
  {
    name: 'prune',
    about: 'Remove the state of old heights of a stopped chain',
    load: async () => (await import('./operation/prune.ts')).prune,
  },
  {
    name: 'compact',
    about: 'Return free space in the database of a stopped chain',
    load: async () => (await import('./operation/compact.ts')).compact,
  },
  {
    name: 'db',
    about: 'Show the sizes of the tables: db stats',
    load: async () => (await import('./operation/db.ts')).db,
  },
  {
    name: 'upgrade',
    about: 'Check an upgrade in advance: rehearse, preflight',
    load: async () => (await import('./upgrade.ts')).upgrade,
  },
  {
    name: 'pre-upgrade',
    about: 'Tell a supervisor whether this build can take over',
    load: async () => (await import('./pre-upgrade.ts')).preUpgrade,
  },
  {
    name: 'export',
    about: 'Print the state as a genesis document',
    load: async () => (await import('./export.ts')).exportState,
  },
  {
    name: 'genesis',
    about:
      'Prepare and check a genesis document: add-account, add-sudo-root, add-feeder, gentx, collect-gentxs, validate, migrate',
    load: async () => (await import('./genesis.ts')).genesis,
  },
  {
    name: 'keys',
    about: 'Manage keys: add, list, show, rename, export, import, delete, parse',
    load: async () => (await import('./keys.ts')).keys,
  },
  { name: 'tx', about: 'Sign and send transactions', load: async () => (await import('./tx.ts')).tx },
  {
    name: 'feeder',
    about: 'Vote on prices for validators',
    load: async () => (await import('./feeder.ts')).feeder,
  },
  {
    name: 'query',
    about: 'Query blocks, transactions and modules (q)',
    load: async () => (await import('./query.ts')).query,
  },
  {
    name: 'comet',
    about: 'Show the keys of a node: show-validator, show-address, show-node-id',
    load: async () => (await import('./comet.ts')).comet,
  },
  {
    name: 'debug',
    about: 'Convert addresses, keys and messages between their forms',
    load: async () => (await import('./debug.ts')).debug,
  },
  {
    name: 'testnet',
    about: 'Write and run a network of several nodes: testnet, testnet start, testnet add',
    load: async () => (await import('./testnet.ts')).testnet,
  },
  {
    name: 'statetest',
    about: 'Run Ethereum state tests',
    load: async () => (await import('./statetest.ts')).statetest,
  },
  {
    name: 'trace',
    about: 'Run an Ethereum tracer fixture',
    load: async () => (await import('./trace.ts')).trace,
  },
  {
    name: 'tx-decode',
    about: 'Decode raw Ethereum transactions',
    load: async () => (await import('./tx-decode.ts')).txDecode,
  },
  {
    name: 'completion',
    about: 'Print the completion script of a shell: bash, zsh, fish',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'version',
    about: 'Print the version of this build',
    load: async () => (await import('./version.ts')).version,
  },
]

/**
 * Runs one command line. Returns the exit code: 1 for a failure, 2 for wrong usage, else that of the command.
 * `build` replaces the state machine of this build.
 */
export async function runCommand(argv: readonly string[], build?: Build): Promise<number> {
  const [first = '', ...rest] = argv
  const entry = COMMANDS.find(({ name }) => name === (OTHER_NAMES[first] ?? first))
  try {
    if (first === '__complete') return await complete(rest)
    if (entry) return await (await entry.load())(rest, build)
    const { VERSION } = await import('../node/version.ts')
    const program = new Command('almanac')
      .description('A chain node and query service.')
      .version(VERSION)
      .exitOverride()
      .configureOutput({ outputError: (text, write) => write(visibleText(shortWords(text))) })
      .addHelpText('after', '\nRun `almanac COMMAND --help` for the flags of a command.')
    for (const { name, about } of COMMANDS) program.command(name).description(about).helpOption(false)
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' })
    return 0
  } catch (error) {
    return reportError(error)
  }
}

/** Names that the family's tool has for some commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = { q: 'query', tendermint: 'comet' }

/** Prints what can follow the words of a command line, for the scripts of `almanac completion`. */
async function complete(words: readonly string[]): Promise<number> {
  const { candidates } = await import('./completion.ts')
  const found = await candidates(
    words,
    COMMANDS.map(({ name }) => name),
  )
  process.stdout.write(`${found.join('\n')}\n`)
  return 0
}

/** Prints an expected failure as its message, and a bug with its stack. Returns the exit code. */
function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (isSystemError(error) && error.code === 'EPIPE') return 1
  const expected = error instanceof ChainError || isSystemError(error)
  // The failed work can have left a bar.
  if (process.stderr.isTTY === true) process.stderr.write(ERASE_LINE)
  process.stderr.write(
    `almanac: ${visibleText(expected ? shortWords(error.message) : ((error as Error).stack ?? String(error)))}\n`,
  )
  const hint = isSystemError(error) ? hintOf(error) : undefined
  if (hint !== undefined) process.stderr.write(`${hint}\n`)
  return 1
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
}

/** Whether the operating system refused a call, for example to write to a folder. The message names the call and the path. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** Advice for a folder that cannot be made, which Node.js reports as missing (`ENOENT`) with all that are above it. */
const NO_FOLDER =
  'The folder cannot be made: its file system is read-only, or a link in its path leads nowhere. Set another path, for a home with --home DIR (ALMANAC_HOME).'

/** Returns the advice for a system error, if there is one. */
function hintOf({ code, syscall }: SystemError): string | undefined {
  if (code === 'ENOENT' && syscall === 'mkdir') return NO_FOLDER
  return HINTS.find(([codes]) => codes.includes(code))?.[1]
}

/** Advice by code of a system error. */
const HINTS: readonly (readonly [codes: readonly string[], text: string])[] = [
  [
    ['EACCES', 'EPERM'],
    'The current user must be able to read and write the home: change its owner, or set another home with --home DIR (ALMANAC_HOME).',
  ],
  [
    ['EROFS'],
    'The file system of this path is read-only: mount it for writing, or set another home with --home DIR (ALMANAC_HOME).',
  ],
  [
    ['ENOSPC', 'EDQUOT'],
    'The disk of this path is full: free space, or use another. A home that has moved is named with --home DIR (ALMANAC_HOME).',
  ],
  [
    ['ENOTDIR', 'EEXIST'],
    'The path must be a folder, but is a file: set another path, for a home with --home DIR (ALMANAC_HOME).',
  ],
]
