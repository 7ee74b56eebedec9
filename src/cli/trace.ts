/** `almanac trace`: what a tracer says of the transaction in a fixture file. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { standardPrecompiles } from '../evm/precompiles/index.ts'
import { traceFactoryOf } from '../evm/tracers/create.ts'
import { parseTracerFixture, runTracerFixture } from '../evm/tracers/fixture.ts'
import { type ScriptLimits, scriptFactory, scriptOf } from '../evm/tracers/javascript/trace.ts'
import { loadScriptEngine } from '../node/workers/script-engine.ts'
import { fromKey } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'

/** What a script may take. */
const SCRIPT_MS = 60_000

interface Flags {
  readonly tracer?: string
  readonly tracerConfig?: string
  readonly tracerFile?: string
}

/** `trace [--tracer NAME] [--tracer-config JSON] [--tracer-file FILE] FIXTURE`. */
export async function trace(args: readonly string[]): Promise<number> {
  const command = new Command('almanac trace')
    .description('Runs the transaction of a tracer fixture and prints what the tracer says of it, JSON.')
    .option('--tracer <name>', 'a tracer by name, or JavaScript; the struct logger if there is none')
    .option('--tracer-config <json>', "the tracer's options; the fixture's own if there are none")
    .option('--tracer-file <file>', 'a JavaScript tracer in a file')
    .argument('<fixture>', '{genesis: {alloc, config}, context, input, tracerConfig?}')
    .exitOverride()
    .parse([...args], { from: 'user' })
  const result = await traceFixture(command.args[0]!, command.opts<Flags>())
  process.stdout.write(`${JSON.stringify(JSON.parse(result), null, 2)}\n`)
  return 0
}

/** The result for a fixture file, JSON text. Throws `invalidArgument` or `notFound` naming what cannot be read or run. */
export async function traceFixture(path: string, { tracer, tracerConfig, tracerFile }: Flags): Promise<string> {
  if (tracer !== undefined && tracerFile !== undefined) {
    throw queryError('invalidArgument', 'either --tracer or --tracer-file, not both')
  }
  const name = tracerFile === undefined ? (tracer ?? '') : readText(tracerFile)
  const config = tracerConfig === undefined ? undefined : readJson(tracerConfig, '--tracer-config')
  const fixture = parseTracerFixture(readJson(readText(path), path))
  const engine = await loadScriptEngine()
  const deadline = performance.now() + SCRIPT_MS
  const limits: ScriptLimits = {
    engine,
    shouldStop: () => performance.now() > deadline,
    precompiles: [...standardPrecompiles(fixture.rules).keys()].map(fromKey),
  }
  const factory = traceFactoryOf(name, (text) => {
    const source = tracerFile === undefined ? scriptOf(text) : text
    return source === undefined ? undefined : scriptFactory(source, limits)
  })
  return runTracerFixture(fixture, factory, config)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw queryError('notFound', `${path}: ${(error as Error).message}`)
  }
}

function readJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw queryError('invalidArgument', `${source}: ${(error as Error).message}`)
  }
}
