/** `almanac upgrade rehearse NAME` and `almanac upgrade preflight`: check an upgrade before it runs. */
import { Command } from 'commander'
import type { Preflight, Rehearsal } from '../app/upgrades/report.ts'
import type { Build } from '../node/build.ts'
import { whyNotSigning } from '../node/engine/engine-home.ts'
import { diskFiles } from '../node/files.ts'
import { type HomePaths, homePaths } from '../node/home-paths.ts'
import { readHome } from '../node/read-home.ts'
import { queryError } from '../primitives/errors.ts'
import type { Progress } from '../primitives/progress.ts'
import { listsCommands } from './command-list.ts'
import { commandProgress } from './operation/progress.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { homeOf, resolveSettings } from './settings.ts'
import { processTerminal, type Terminal } from './terminal.ts'

interface Flags {
  readonly home?: string
  readonly height?: string
  readonly output: string
}

const FAULT = 1

export async function upgrade(
  args: readonly string[],
  build?: Build,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  let code = 0
  const program = new Command('almanac upgrade').description('Check an upgrade before it runs').exitOverride()
  const add = (name: string, about: string) =>
    program
      .command(name)
      .description(about)
      .option('--home <dir>', 'home of the chain, whose node can be running (default: ALMANAC_HOME, or ~/.almanac)')
      .option('-o, --output <format>', 'output format: yaml or json', 'yaml')
  const rehearse = add('rehearse', 'Run the handler on a branch of the state, and report its changes')
    .argument('<name>', 'name of the upgrade')
    .option('--height <height>', 'height of the state, which must be stored (default: the latest)')
    .action(async (name: string) => {
      const flags = rehearse.opts<Flags>()
      const { rehearsal, seconds } = await runRehearsal(
        { paths: homeOfFlags(flags), name, height: heightOf(flags), build },
        commandProgress(terminal),
      )
      terminal.print(formatOutput(rehearsalJson(rehearsal, seconds), parseOutputFormat(flags.output)))
      const lost = rehearsal.operations.lost.some(({ isMeant }) => !isMeant)
      if (rehearsal.failure !== undefined || lost) code = FAULT
    })
  const preflight = add(
    'preflight',
    'Compare plan, handlers, stores and module versions of chain and build, and report faults',
  ).action(async () => {
    const flags = preflight.opts<Flags>()
    const found = await runPreflight(homeOfFlags(flags), build)
    process.stdout.write(`${formatOutput(preflightJson(found), parseOutputFormat(flags.output))}\n`)
    if (found.findings.some(({ level }) => level === 'fault')) code = FAULT
  })
  await listsCommands(program).parseAsync([...args], { from: 'user' })
  return code
}

function homeOfFlags({ home }: Flags): HomePaths {
  const paths = homePaths(homeOf(home))
  if (!diskFiles.exists(paths.record))
    throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
  return paths
}

function heightOf({ height }: Flags): bigint | undefined {
  if (height === undefined) return undefined
  if (!/^[1-9]\d{0,17}$/.test(height))
    throw queryError('invalidArgument', `--height ${height}: must be a height such as 100`)
  return BigInt(height)
}

function runRehearsal(
  asked: {
    readonly paths: HomePaths
    readonly name: string
    readonly height: bigint | undefined
    readonly build: Build | undefined
  },
  progress: Progress,
) {
  const { paths, name, height, build } = asked
  return readHome(
    paths,
    diskFiles,
    ({ app, withContext }) =>
      withContext(height, (ctx) => {
        const startMs = performance.now()
        const rehearsal = app.rehearse(ctx, name)
        return { rehearsal, seconds: (performance.now() - startMs) / 1000 }
      }),
    { build, progress },
  )
}

/** Returns the report of a rehearsal as JSON, with totals and without empty parts. */
function rehearsalJson({ upgrade, height, failure, lines, stores, versions, operations }: Rehearsal, seconds: number) {
  const keys = stores.reduce((sum, { added, changed, deleted }) => sum + added + changed + deleted, 0)
  const bytes = stores.reduce((sum, store) => sum + store.bytes, 0)
  return {
    upgrade,
    height: height.toString(),
    result: failure === undefined ? 'it would run' : `it would halt the chain: ${failure}`,
    seconds: Number(seconds.toFixed(3)),
    keys,
    bytes,
    ...(lines.length > 0 && { log: lines }),
    stores: stores.map(({ store, fate, from, ...counts }) => ({
      store,
      fate: from === undefined ? fate : `${fate} from ${from}`,
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    })),
    versions: versions.map(({ module, before, after }) => ({ module, before: before ?? null, after: after ?? null })),
    operations: {
      asked: operations.asked,
      questions: operations.questions,
      lost: operations.lost.map(({ path, message, isMeant }) => ({ path, message, meant: isMeant })),
    },
  }
}

function runPreflight(paths: HomePaths, build: Build | undefined): Promise<Preflight> {
  const skip = resolveSettings({}, paths.root).config.upgrade.skip.map(BigInt)
  return readHome(
    paths,
    diskFiles,
    ({ app, store, genesis }) => {
      const state = store.at()
      try {
        const found = app.preflight(state, state.height)
        const notSigning = whyNotSigning(paths.engine, genesis, diskFiles)
        return notSigning ? { ...found, findings: [...found.findings, { level: 'note', text: notSigning }] } : found
      } finally {
        state.close()
      }
    },
    { build, skip },
  )
}

function preflightJson({ plan, blocksLeft, findings, versions, halt }: Preflight) {
  return {
    plan: plan ? { name: plan.name, height: plan.height.toString(), info: plan.info } : null,
    ...(blocksLeft !== undefined && { blocks_left: blocksLeft.toString() }),
    verdict: findings.some(({ level }) => level === 'fault') ? 'this build will stop' : 'this build fits the chain',
    findings: findings.map(({ level, text }) => `${level}: ${text}`),
    versions: versions.map(({ module, onChain, afterPlan, inBuild }) => ({
      module,
      on_chain: onChain ?? null,
      after_plan: afterPlan ?? null,
      in_build: inBuild ?? null,
    })),
    ...(halt && { next_block: halt.line.trimEnd() }),
  }
}
