/** The commands and flags of the programs of this field, given to the built program. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devCommand } from '../../../src/cli/dev/command.ts'
import { DEV_FLAGS, type DevFlag } from '../../../src/cli/dev/flags.ts'
import { FOREIGN_FLAGS, type ForeignFlag, insteadOf } from '../../../src/cli/foreign-flags.ts'
import { commandWithSettings } from '../../../src/cli/settings.ts'
import { runProgram, startDev } from '../dev.ts'

/** Commands of other programs, and the equivalent here, or why it is missing. */
const COMMANDS: readonly { readonly theirs: string; readonly ours?: string; readonly why?: string }[] = [
  { theirs: 'anvil', ours: 'dev' },
  { theirs: 'anvil completions', why: 'shells get no completions' },
  { theirs: 'hardhat node', ours: 'dev' },
  { theirs: 'geth', ours: 'start' },
  { theirs: 'geth --dev', ours: 'dev' },
  { theirs: 'geth init FILE', ours: 'dev --init FILE' },
  { theirs: 'geth account', ours: 'keys' },
  { theirs: 'geth export', ours: 'export', why: 'the state as a genesis document, not the blocks' },
  { theirs: 'geth dumpconfig', ours: 'config' },
  { theirs: 'geth removedb', ours: 'reset' },
  { theirs: 'geth snapshot', ours: 'snapshot', why: "in the format of the chain's family" },
  { theirs: 'geth attach', why: 'there is no console: every client of JSON-RPC connects' },
]

/** Flags of Hardhat's node that are those of anvil. */
const SHARED_WITH_HARDHAT = new Set(['port', 'chain-id', 'fork-block-number'])
const SHARED_WITH_GETH = new Set(['ipc'])

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Starts that together have every accepted flag of anvil, beside those that `startDev` gives. `folder` is for files. */
const startsIn = (folder: string): readonly (readonly string[])[] => [
  [
    ...['--host', '127.0.0.1', '--accounts', '2', '--balance', '5', '--mnemonic', MNEMONIC, '--chain-id', '31338'],
    ...['--derivation-path', "m/44'/60'/0'/0/", '--block-time', '1', '--mixed-mining', '--order', 'fifo'],
    ...['--max-transactions', '5', '--slots-in-an-epoch', '4', '--hardfork', 'prague', '--gas-limit', '20000000'],
    ...[
      '--block-base-fee-per-gas',
      '7',
      '--gas-price',
      '9',
      '--disable-min-priority-fee',
      '--code-size-limit',
      '30000',
    ],
    ...['--enable-tx-gas-limit', '--timestamp', '1700000000', '--number', '5', '--state', join(folder, 'state.json')],
    ...['--state-interval', '60', '--auto-impersonate', '--disable-console-log', '--disable-default-create2-deployer'],
    ...['--print-traces', '--steps-tracing', '--ipc', join(folder, 'ipc'), '--allow-origin', '*', '--json'],
    ...['--no-request-size-limit', '--threads', '1', '--prune-history', '10', '--verbosity', '--color', 'never'],
    ...['--preserve-historical-states'],
  ],
  [
    ...[
      '--mnemonic-random',
      '15',
      '--no-mining',
      '--disable-block-gas-limit',
      '--disable-code-size-limit',
      '--no-cors',
    ],
    ...['--transaction-block-keeper', '10', '--quiet', '--dump-state', join(folder, 'dump.json')],
    ...['--init', join(folder, 'genesis.json')],
  ],
  ['--mnemonic-seed-unsafe', '1', '--load-state', join(folder, 'dump.json')],
]

/** Starts the program with every accepted flag. Throws for a flag that no start has, or that the program refuses. */
async function tryAccepted(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-flags-'))
  try {
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify({ alloc: {} }))
    const starts = startsIn(folder)
    const given = new Set([...starts.flat(), '--port', '--config-out'])
    const left = DEV_FLAGS.filter(({ flag, refused }) => refused === undefined && !given.has(`--${flag}`))
    if (left.length > 0) throw new Error(`no start has --${left[0]!.flag}`)
    for (const flags of starts) {
      const chain = await startDev(...flags)
      await chain.kill('SIGTERM')
      await chain[Symbol.asyncDispose]()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the program, and throws unless it ends with an error that contains the text. */
async function expectRefusal(args: readonly string[], text: string): Promise<void> {
  const { code, err } = await runProgram(...args)
  if (code === 0 || !err.includes(text)) throw new Error(`almanac ${args.join(' ')} printed ${err} instead of ${text}`)
}

const sampleOf = (takes: boolean): readonly string[] => (takes ? ['1'] : [])

async function tryRefused({ flag, value, refused }: DevFlag): Promise<void> {
  if (refused !== undefined) {
    await expectRefusal(
      ['dev', `--${flag}`, ...sampleOf(value?.startsWith('<') === true)],
      `--${flag} is not supported: ${refused}`,
    )
  }
}

/** Gives a flag of another program to both commands, and looks for the flags that they name. */
async function tryForeign(foreign: ForeignFlag): Promise<void> {
  const { flag, program, takesValue, here } = foreign
  for (const command of ['dev', 'start'] as const) {
    const text = `--${flag} is a flag of ${program}: ${insteadOf(foreign, command)}`
    await expectRefusal([command, `--${flag}`, ...sampleOf(takesValue)], text)
    const name = here?.[command]
    const { options } = command === 'dev' ? devCommand() : commandWithSettings('start', '')
    if (name !== undefined && !options.some(({ long }) => long === name))
      throw new Error(`almanac ${command} has no ${name}`)
  }
}

async function tryCommand({ theirs, ours }: (typeof COMMANDS)[number]): Promise<void> {
  if (ours === undefined) return
  const { code } = await runProgram(ours.split(' ')[0]!, '--help')
  if (code !== 0) throw new Error(`${theirs}: almanac ${ours} does not exist`)
}

/** Runs attempts, a few processes at once. */
async function all(attempts: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...attempts]
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) await next()
  }
  await Promise.all([lane(), lane(), lane()])
}

const mark = (has: boolean): string => (has ? '•' : '')
const escaped = (text: string): string => text.replaceAll('|', '\\|')

function anvilRow({ flag, short, aliases = [], differs, refused }: DevFlag): string {
  const names = [`--${flag}`, ...aliases.map((alias) => `--${alias}`), ...(short === undefined ? [] : [`-${short}`])]
  const here = refused !== undefined ? `refused: ${refused}` : differs === undefined ? 'works' : `differs: ${differs}`
  const marks = [true, SHARED_WITH_HARDHAT.has(flag), SHARED_WITH_GETH.has(flag)].map(mark)
  return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${marks.join(' | ')} | ${escaped(here)} |`
}

function foreignRow(foreign: ForeignFlag): string {
  const { flag, program, here, why } = foreign
  const names = here && [...new Set([here.dev, here.start])].map((name) => `\`${name}\``)
  const reason = why === undefined ? '' : `: ${why}`
  const text = names === undefined ? `refused${reason}` : `differs: ${names.join(', of `almanac start` ')}${reason}`
  const marks = [false, program === 'Hardhat', program === 'geth'].map(mark)
  return `| \`--${flag}\` | ${marks.join(' | ')} | ${escaped(text)} |`
}

function commandRow({ theirs, ours, why }: (typeof COMMANDS)[number]): string {
  const reason = why === undefined ? '' : `: ${why}`
  return `| \`${theirs}\` | ${ours === undefined ? `refused${reason}` : `\`almanac ${ours}\`${reason}`} |`
}

/** Tries every command and flag, and returns the part of the page about them. Throws if the program does not do what the page says. */
export async function renderFlags(): Promise<string> {
  await tryAccepted()
  await all([
    ...DEV_FLAGS.map((flag) => () => tryRefused(flag)),
    ...FOREIGN_FLAGS.map((flag) => () => tryForeign(flag)),
    ...COMMANDS.map((command) => () => tryCommand(command)),
  ])
  return `## Commands and flags

Of \`anvil --help\`, \`hardhat node --help\` (2.29 and 3.18) and geth's flags for its servers, given to \`almanac dev\`; those of geth to
\`almanac start\` too. A flag with another name here is refused with that name. \`docs/dev.md\` says what each flag of anvil does.

| Command | Here |
|---|---|
${COMMANDS.map(commandRow).join('\n')}

| Flag | anvil 1.7 | Hardhat | geth | Here |
|---|---|---|---|---|
${[...DEV_FLAGS.map(anvilRow), '| `--fork` |  | • |  | refused: forking is not supported |', ...FOREIGN_FLAGS.map(foreignRow)].join('\n')}`
}
