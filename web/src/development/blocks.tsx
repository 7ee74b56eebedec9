/** Blocks, the clock, and snapshots of a development chain. */
import { useEffect, useState } from 'preact/hooks'
import { useHead } from '../api/head.ts'
import { eth } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { formatDuration } from '../format/time.ts'
import { createStore, useStore } from '../store.ts'
import { useOutcome } from '../ui/outcome.ts'
import { Section } from '../ui/section.tsx'
import { ChainTime, Height } from '../ui/values.tsx'
import { Action, Field, Said } from './action.tsx'
import { toQuantity, verb } from './verbs.ts'

interface Mining {
  readonly automine: boolean
  /** Seconds; null if no clock makes blocks. */
  readonly interval: number | null
}

/** The mining before a pause, to resume it. It lasts as long as the page. */
let beforePause: Mining | undefined

async function readMining(): Promise<Mining> {
  const [automine, interval] = await Promise.all([
    verb<boolean>('anvil_getAutomine'),
    verb<number | null>('anvil_getIntervalMining'),
  ])
  return { automine, interval }
}

/** A chain that makes blocks on arrival keeps its own interval, which has no effect until they are on again. */
async function setMining({ automine, interval }: Mining): Promise<void> {
  await verb('evm_setAutomine', automine)
  if ((await readMining()).interval === interval) return
  await verb('hardhat_setIntervalMining', Math.round((interval ?? 0) * 1000))
}

const describe = ({ automine, interval }: Mining): string => {
  const when = [
    ...(interval === null ? [] : [`every ${interval} s`]),
    ...(automine ? ['when a transaction arrives'] : []),
  ]
  return when.length === 0 ? 'paused' : when.join(', and ')
}

const MOST_BLOCKS = 10_000n

export function Blocks() {
  const head = useHead()
  const [mining, setShown] = useState<Mining | undefined>()
  const [outcome, run] = useOutcome()
  const refresh = async (): Promise<Mining> => {
    const read = await readMining()
    setShown(read)
    return read
  }
  useEffect(() => {
    refresh().catch(() => {})
  }, [])
  const isPaused = mining !== undefined && !mining.automine && mining.interval === null
  const toggle = async (): Promise<string> => {
    const now = await readMining()
    if (isPaused) await (beforePause ? setMining(beforePause) : verb('evm_setAutomine', true))
    else {
      beforePause = now
      await setMining({ automine: false, interval: null })
    }
    return `Blocks are made: ${describe(await refresh())}.`
  }
  return (
    <Section title="Blocks" question={eth('evm_mine')}>
      <p class="dev-line">
        {mining ? <>Made {describe(mining)}.</> : <span class="muted">Reading how blocks are made.</span>}{' '}
        {head && (
          <>
            The latest is <Height height={head.height} />.
          </>
        )}
      </p>
      <button type="button" disabled={mining === undefined || outcome.isBusy} onClick={() => run(toggle)}>
        {isPaused ? 'Resume blocks' : 'Pause blocks'}
      </button>
      <Said outcome={outcome} />
      <Action
        button="Mine"
        run={async (fields) => {
          const count = fields.whole('count', 'The number of blocks', 1n)
          if (count > MOST_BLOCKS) throw new Error(`At most ${formatInteger(MOST_BLOCKS)} blocks at once.`)
          await verb('anvil_mine', toQuantity(count))
          const height = BigInt(await verb<string>('eth_blockNumber'))
          return (
            <>
              Made {count === 1n ? 'a block' : `${formatInteger(count)} blocks`}; the latest is{' '}
              <Height height={height} />.
            </>
          )
        }}
      >
        <Field label="Blocks" name="count" value="1" />
      </Action>
    </Section>
  )
}

const UNITS: Readonly<Record<string, bigint>> = { seconds: 1n, minutes: 60n, hours: 3600n, days: 86_400n }

export function Clock() {
  const time = useHead()?.time
  return (
    <Section title="Clock" question={eth('evm_increaseTime', 3600)}>
      <p>{time ? <ChainTime time={time} /> : <span class="muted">Reading the time of the latest block.</span>}</p>
      <Action
        button="Move, and mine"
        run={async (fields) => {
          const seconds = fields.whole('amount', 'The time', 1n) * UNITS[fields.text('unit')]!
          await verb('evm_increaseTime', toQuantity(seconds))
          await verb('evm_mine')
          return `The clock moved by ${formatDuration(Number(seconds))}, and a block was made.`
        }}
      >
        <Field label="Time" name="amount" value="1" />
        <label>
          Unit
          <select name="unit">
            {Object.keys(UNITS).map((unit) => (
              <option key={unit} selected={unit === 'hours'}>
                {unit}
              </option>
            ))}
          </select>
        </label>
      </Action>
    </Section>
  )
}

interface Snapshot {
  readonly id: string
  readonly height: bigint
}

/** Snapshots that this tab has taken, also before it showed another page. */
const taken = createStore<readonly Snapshot[]>([])

export function Snapshots() {
  const snapshots = useStore(taken)
  const [outcome, run] = useOutcome()
  const take = async (): Promise<string> => {
    const height = BigInt(await verb<string>('eth_blockNumber'))
    const id = await verb<string>('evm_snapshot')
    taken.set([...taken.get(), { id, height }])
    return `Snapshot ${Number(id)} has the state after block ${formatInteger(height)}.`
  }
  const revert = async ({ id, height }: Snapshot): Promise<string> => {
    const isDone = await verb<boolean>('evm_revert', id)
    // A snapshot is used up, and those after it are gone.
    taken.set(taken.get().filter((one) => BigInt(one.id) < BigInt(id)))
    if (!isDone) throw new Error(`Snapshot ${Number(id)} does not exist any more.`)
    return `The chain is again at block ${formatInteger(height)}.`
  }
  return (
    <Section title="Snapshots" question={eth('evm_snapshot')}>
      <button type="button" disabled={outcome.isBusy} onClick={() => run(take)}>
        Take a snapshot
      </button>
      <Said outcome={outcome} />
      {snapshots.length > 0 && (
        <ul class="dev-list">
          {snapshots.map((one) => (
            <li key={one.id}>
              <span>
                {Number(one.id)}, after block {formatInteger(one.height)}
              </span>
              <button type="button" disabled={outcome.isBusy} onClick={() => run(() => revert(one))}>
                Revert to it
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="muted">A revert uses up a snapshot and those after it. The list has those that this tab has taken.</p>
    </Section>
  )
}
