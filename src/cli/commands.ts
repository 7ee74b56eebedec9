/** The table of commands. Each is loaded when it is called. */
import { Command, CommanderError } from 'commander'
import type { Build } from '../node/build.ts'
import { ChainError } from '../primitives/errors.ts'

type Run = (args: readonly string[], build?: Build) => Promise<number>

interface Entry {
  readonly name: string
  readonly about: string
  readonly load: () => Promise<Run>
}

/** Each command reads its own flags: what stands behind its name is handed over untouched. */
const COMMANDS: readonly Entry[] = [
  { name: 'start', about: 'run a chain', load: async () => (await import('./start.ts')).start },
  {
    name: 'status',
    about: 'show what a running node says of itself',
    load: async () => (await import('./status.ts')).status,
  },
  { name: 'config', about: 'print the settings in force', load: async () => (await import('./config.ts')).config },
  { name: 'reset', about: 'delete a chain, keep its settings', load: async () => (await import('./reset.ts')).reset },
  {
    name: 'reindex',
    about: 'build the indexes again from the blocks',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  {
    name: 'rollback',
    about: 'take a stopped chain back to a kept height',
    load: async () => (await import('./rollback.ts')).rollback,
  },
  {
    name: 'upgrade',
    about: 'see what an upgrade will do: rehearse, preflight',
    load: async () => (await import('./upgrade.ts')).upgrade,
  },
  {
    name: 'pre-upgrade',
    about: 'say to a supervisor whether this build can take over',
    load: async () => (await import('./pre-upgrade.ts')).preUpgrade,
  },
  {
    name: 'export',
    about: 'print the state as a genesis document',
    load: async () => (await import('./export.ts')).exportState,
  },
  {
    name: 'genesis',
    about: 'check a genesis document: genesis validate FILE',
    load: async () => (await import('./genesis.ts')).genesis,
  },
  {
    name: 'keys',
    about: 'keep keys: add, list, show, import, export',
    load: async () => (await import('./keys.ts')).keys,
  },
  { name: 'tx', about: 'send a transaction', load: async () => (await import('./tx.ts')).tx },
  {
    name: 'feeder',
    about: 'vote on prices for validators',
    load: async () => (await import('./feeder.ts')).feeder,
  },
  { name: 'query', about: 'ask any operation of any module', load: async () => (await import('./query.ts')).query },
  {
    name: 'statetest',
    about: 'run Ethereum state tests',
    load: async () => (await import('./statetest.ts')).statetest,
  },
  {
    name: 'trace',
    about: 'run an Ethereum tracer fixture',
    load: async () => (await import('./trace.ts')).trace,
  },
  {
    name: 'tx-decode',
    about: 'decode raw Ethereum transactions',
    load: async () => (await import('./tx-decode.ts')).txDecode,
  },
]

/**
 * Runs one command line. Returns the exit code: 1 for an expected failure, 2 for wrong usage, or what the command says.
 * `build`: the state machine of another build than this.
 */
export async function runCommand(argv: readonly string[], build?: Build): Promise<number> {
  const entry = COMMANDS.find(({ name }) => name === argv[0])
  try {
    if (entry) return await (await entry.load())(argv.slice(1), build)
    const { VERSION } = await import('../node/version.ts')
    const program = new Command('almanac')
      .description('A chain node and query service.')
      .version(VERSION)
      .exitOverride()
      .addHelpText('after', '\n`almanac COMMAND --help` shows the flags of a command.')
    for (const { name, about } of COMMANDS) program.command(name).description(about).helpOption(false)
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' })
    return 0
  } catch (error) {
    return explain(error)
  }
}

/** Prints an expected failure as its message, and a bug with its stack. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (isSystemError(error) && error.code === 'EPIPE') return 1
  const expected = error instanceof ChainError || isSystemError(error)
  process.stderr.write(`almanac: ${expected ? error.message : ((error as Error).stack ?? error)}\n`)
  const way = isSystemError(error) ? WAYS_OUT.find(([codes]) => codes.includes(error.code))?.[1] : undefined
  if (way !== undefined) process.stderr.write(`${way}\n`)
  return 1
}

interface SystemError extends Error {
  readonly code: string
}

/** What the operating system refused, such as a folder that cannot be written: its message says what and why. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const WAYS_OUT: readonly (readonly [codes: readonly string[], text: string])[] = [
  [
    ['EACCES', 'EPERM', 'EROFS'],
    'The home must be writable by the user who runs this: change its owner, or use --home DIR (ALMANAC_HOME).',
  ],
  [['ENOSPC', 'EDQUOT'], 'The disk is full: make room, or move the home to another disk and name it by --home DIR.'],
  [
    ['ENOTDIR', 'EEXIST'],
    'Where a folder is expected there is a file: name another, a home by --home DIR (ALMANAC_HOME).',
  ],
]
