/** Prints the calls of each transaction of a development chain as a tree, and those of `eth_call`. */
import type { GatewayNode } from '../../api/gateway.ts'
import type { Method } from '../../api/jsonrpc/method.ts'
import { chainMethods } from '../../api/jsonrpc/methods.ts'
import { createProvider, type Provider } from '../../node/provider.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { visibleText } from '../../primitives/visible-text.ts'

/** A log of a call. `position` is the number of inner calls before it. */
interface CallLog {
  readonly topics?: readonly string[]
  readonly data?: string
  readonly position?: string
}

/** A call as `callTracer` returns it. */
export interface TracedCall {
  readonly type: string
  readonly to?: string
  readonly gasUsed: string
  readonly value?: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly TracedCall[]
  readonly logs?: readonly CallLog[]
}

/** Bytes of input or output that a line has; longer ones are cut. */
const MAX_SHOWN_BYTES = 256
const SELECTOR_DIGITS = 10
const TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } }

function shorten(hex: string): string {
  const bytes = (hex.length - 2) / 2
  return bytes <= MAX_SHOWN_BYTES ? hex : `${hex.slice(0, 2 + 2 * MAX_SHOWN_BYTES)}… (${bytes} bytes)`
}

/** Shows an address as the log and other tools do, with its checksum. */
function shown(address: string | undefined): string | undefined {
  const bytes = address === undefined ? undefined : parseEvm(address)
  return bytes ? formatEip55(bytes) : address
}

function headline({ type, to, gasUsed, value, input }: TracedCall): string {
  const gas = `[${BigInt(gasUsed)}]`
  const paid = value === undefined || BigInt(value) === 0n ? '' : ` {value: ${BigInt(value)}}`
  const kind = type === 'CALL' ? '' : ` [${type.toLowerCase()}]`
  if (type.startsWith('CREATE')) return `${gas} → new ${shown(to) ?? 'contract'}${paid}${kind}`
  const [selector, args] = [input.slice(0, SELECTOR_DIGITS), input.slice(SELECTOR_DIGITS)]
  return `${gas} ${shown(to)}::${selector === '0x' ? 'receive' : selector}(${args === '' ? '' : shorten(`0x${args}`)})${paid}${kind}`
}

function outcome({ type, to, output = '0x', error, revertReason }: TracedCall): string {
  if (error !== undefined)
    return `← [Revert] ${visibleText(revertReason ?? (output === '0x' ? error : shorten(output)))}`
  if (type.startsWith('CREATE')) return `← [Return] ${shown(to)}: ${(output.length - 2) / 2} bytes of code`
  return output === '0x' ? '← [Stop]' : `← [Return] ${shorten(output)}`
}

const logLine = ({ topics = [], data = '0x' }: CallLog): string =>
  `emit ${['log', ...topics].join(' ')}${data === '0x' ? '' : ` data ${shorten(data)}`}`

/** Returns the lines of a call and of those within it. */
export function renderCall(call: TracedCall): string[] {
  const { calls = [], logs = [] } = call
  const children: string[][] = []
  for (let position = 0; position <= calls.length; position++) {
    for (const log of logs) if (Number(log.position ?? 0) === position) children.push([logLine(log)])
    const inner = calls[position]
    if (inner) children.push(renderCall(inner))
  }
  const lines = children.flatMap(([first, ...rest]) => [`  ├─ ${first}`, ...rest.map((line) => `  │ ${line}`)])
  return [headline(call), ...lines, `  └─ ${outcome(call)}`]
}

const textOf = (title: string, call: TracedCall): string =>
  [`Traces of ${title}:`, ...renderCall(call).map((line) => `  ${line}`), '', ''].join('\n')

/** Returns a provider whose requests are not counted, and not in the log of requests: no client made them. */
const ownProvider = (node: GatewayNode): Provider => createProvider({ ...node, observe: undefined })

/** Prints the transactions of each block, in their order. A trace that fails is named by its error. */
export function printBlocks(node: GatewayNode, print: (text: string) => void): void {
  const provider = ownProvider(node)
  let queue: Promise<void> = Promise.resolve()
  node.driver.onBlock(({ evmTxs }) => {
    for (const { hash } of evmTxs) queue = queue.then(() => printTx(provider, formatHex0x(hash), print))
  })
}

async function printTx(provider: Provider, hash: string, print: (text: string) => void): Promise<void> {
  const title = `transaction ${hash}`
  try {
    print(
      textOf(
        title,
        (await provider.request({ method: 'debug_traceTransaction', params: [hash, TRACER] })) as TracedCall,
      ),
    )
  } catch (error) {
    print(`Traces of ${title}: ${(error as Error).message}\n\n`)
  }
}

/** Returns `eth_call` that prints the calls of each request before its answer. */
export function printingCall(print: (text: string) => void): Method {
  const original = chainMethods['eth_call']!
  let provider: Provider | undefined
  return {
    ...original,
    async run(call, params) {
      const [request, block = 'latest', stateOverrides, blockOverrides] = Array.isArray(params) ? params : []
      const config = { ...TRACER, stateOverrides, blockOverrides }
      try {
        provider ??= ownProvider(call.node)
        const traced = await provider.request({ method: 'debug_traceCall', params: [request, block, config] })
        print(textOf('eth_call', traced as TracedCall))
      } catch {
        // The call itself answers with the error.
      }
      return original.run(call, params)
    },
  }
}
