/** `almanac status --watch`: a line for each block of a running node, and one for each change of its health. */
import { setTimeout as delay } from 'node:timers/promises'
import { HALTED_HEADER, LAG_HEADER } from '../api/status-headers.ts'

/** Time between two looks. Unit: milliseconds. */
const LOOK_MS = 250
/** Time in which a node answers. Unit: milliseconds. */
const TIMEOUT_MS = 5000

interface Answer {
  readonly result?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

interface Look {
  readonly height: number
  readonly time: number
  readonly isCatchingUp: boolean
  readonly halted: string | null
  readonly lag: string | null
}

/** Prints until the signal aborts. Never rejects because of the node: one that does not answer is waited for. */
export async function watchStatus(
  rpc: string,
  print: (line: string) => void,
  signal: AbortSignal,
  lookMs = LOOK_MS,
): Promise<void> {
  let last: Look | undefined
  let answers = true
  while (!signal.aborted) {
    try {
      const now = await look(rpc, signal)
      if (!answers) print('answers again')
      answers = true
      if (!last || now.height !== last.height) print(await lineOf(rpc, now, last, signal))
      if (now.halted !== null && now.halted !== last?.halted) print(`halted: ${decodeURIComponent(now.halted)}`)
      if (last && last.halted !== null && now.halted === null) print('goes on')
      last = now
    } catch (error) {
      if (signal.aborted) return
      // Once: a node that ends is first cut off, and then refuses.
      if (answers) print(`no answer at ${rpc}: ${reasonOf(error)}`)
      answers = false
    }
    await delay(lookMs, undefined, { signal }).catch(() => undefined)
  }
}

async function ask(url: string, signal: AbortSignal): Promise<{ readonly answer: Answer; readonly headers: Headers }> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
  return { answer: (await response.json()) as Answer, headers: response.headers }
}

async function look(rpc: string, signal: AbortSignal): Promise<Look> {
  const { answer, headers } = await ask(`${rpc}/status`, signal)
  const info = answer.result?.['sync_info']
  if (!info) throw new Error('it is not an Almanac node')
  return {
    height: Number(info['latest_block_height']),
    time: Date.parse(String(info['latest_block_time'])),
    isCatchingUp: info['catching_up'] === true,
    halted: headers.get(HALTED_HEADER),
    lag: headers.get(LAG_HEADER),
  }
}

/** Returns the line of a block: height, transactions, time since the last line's block, transactions that wait, lag. */
async function lineOf(rpc: string, now: Look, last: Look | undefined, signal: AbortSignal): Promise<string> {
  const [block, pool] = await Promise.all([
    ask(`${rpc}/block?height=${now.height}`, signal),
    ask(`${rpc}/num_unconfirmed_txs`, signal),
  ])
  const { data } = (block.answer.result?.['block'] ?? {}) as { readonly data?: { readonly txs?: readonly string[] } }
  const count = data?.txs?.length ?? 0
  const waiting = Number((pool.answer.result as { readonly total?: unknown } | undefined)?.total ?? 0)
  const made = last ? now.height - last.height : 1
  const seconds = last ? (now.time - last.time) / 1000 : undefined
  return [
    `height ${now.height}`,
    `${count} tx`,
    ...(made > 1 ? [`${made} blocks`] : []),
    ...(seconds === undefined ? [] : [`${seconds.toFixed(2)} s`]),
    `${waiting} waiting`,
    ...(now.lag === null ? [] : [`lag ${now.lag.replaceAll(';', ' ')}`]),
    ...(now.isCatchingUp ? ['catching up'] : []),
  ].join('  ')
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
