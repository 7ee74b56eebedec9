/** `almanac trace`: traces the transaction in a fixture file. */
import { Command } from 'commander'
import { standardPrecompiles } from '../evm/precompiles/index.ts'
import { traceFactoryOf } from '../evm/tracers/create.ts'
import { parseTracerFixture, runTracerFixture } from '../evm/tracers/fixture.ts'
import { type ScriptLimits, scriptFactory, scriptOf } from '../evm/tracers/javascript/trace.ts'
import { readInputText } from '../node/input-file.ts'
import { createEngineLoader } from '../node/workers/script-engine.ts'
import { fromKey } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'

/** Time limit of a JavaScript tracer. Unit: milliseconds. */
const SCRIPT_TIMEOUT_MS = 60_000

interface Flags {
  readonly tracer?: string
  readonly tracerConfig?: string
  readonly tracerFile?: string
}

/** Runs `trace [--tracer NAME] [--tracer-config JSON] [--tracer-file FILE] FIXTURE`. Returns the exit code. */
export async function trace(args: readonly string[]): Promise<number> {
  const command = new Command('almanac trace')
    .description('Run the transaction of a tracer fixture and print the trace as JSON.')
    .option('--tracer <name>', 'name of a tracer, or JavaScript code (default: the struct logger)')
    .option('--tracer-config <json>', 'options of the tracer (default: those of the fixture)')
    .option('--tracer-file <file>', 'file with a JavaScript tracer; excludes --tracer')
    .argument('<fixture>', 'JSON file {genesis: {alloc, config}, context, input, tracerConfig?}')
    .exitOverride()
    .parse([...args], { from: 'user' })
  const result = await traceFixture(command.args[0]!, command.opts<Flags>())
  process.stdout.write(`${JSON.stringify(JSON.parse(result), null, 2)}\n`)
  return 0
}

/** Returns the trace of a fixture file as JSON text. Throws `invalidArgument` or `notFound` that names the file or flag. */
export async function traceFixture(path: string, { tracer, tracerConfig, tracerFile }: Flags): Promise<string> {
  if (tracer !== undefined && tracerFile !== undefined) {
    throw queryError('invalidArgument', '--tracer and --tracer-file exclude each other: set one, not both')
  }
  const name =
    tracerFile === undefined ? (tracer ?? '') : readInputText(tracerFile, { name: `--tracer-file ${tracerFile}` })
  const config = tracerConfig === undefined ? undefined : readJson(tracerConfig, '--tracer-config')
  const fixture = parseTracerFixture(readJson(readInputText(path), path))
  const engine = await createEngineLoader()()
  const deadline = performance.now() + SCRIPT_TIMEOUT_MS
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

function readJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw queryError('invalidArgument', `${source}: ${(error as Error).message}`)
  }
}
