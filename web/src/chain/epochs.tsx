/** Epochs as clocks: how far each is, and when it ends. */
import { ask } from '../api/ask.ts'
import { useHead } from '../api/head.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer, useLoad } from '../api/load.ts'
import { engine, rest } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { formatDuration, formatExact } from '../format/time.ts'
import { Loaded } from '../ui/loaded.tsx'
import { useNow } from '../ui/now.ts'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Height } from '../ui/values.tsx'

interface Epoch {
  readonly identifier: string
  readonly start_time: string
  /** Decimal seconds with the suffix s. */
  readonly duration: string
  readonly current_epoch: string
  readonly current_epoch_start_time: string
  readonly epoch_counting_started: boolean
  readonly current_epoch_start_height: string
}

const EPOCHS = rest('/chain/epochs/v1beta1/epochs')

/** Returns the time of the page in milliseconds: that of its block, or of this clock while it follows the tip. */
function usePageTime(): number | undefined {
  const height = useHeight()
  const head = useHead()
  const past = useLoad([height ?? ''], async (signal) => {
    if (height === undefined) return undefined
    const { block } = await ask<{ readonly block: { readonly header: { readonly time: string } } }>(
      engine('block', { height: String(height) }),
      { signal },
    )
    return Date.parse(block.header.time)
  })
  const now = useNow()
  if (height !== undefined) return past.value
  return head && now
}

export function EpochsPage() {
  const epochs = useAnswer<{ readonly epochs: readonly Epoch[] }>(EPOCHS)
  const now = usePageTime()
  return (
    <Section title="Clocks" question={EPOCHS}>
      <Loaded
        of={epochs}
        lines={8}
        empty="The chain counts no epochs at this height."
        isEmpty={(value) => value.epochs.length === 0}
      >
        {({ epochs: list }) => (
          <div class="chain-clocks">
            {[...list]
              .sort((a, b) => secondsOf(a) - secondsOf(b))
              .map((epoch) => (
                <Clock key={epoch.identifier} epoch={epoch} now={now ?? Date.parse(epoch.current_epoch_start_time)} />
              ))}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

const secondsOf = ({ duration }: Epoch): number => Number.parseFloat(duration)

const RADIUS = 42
const AROUND = 2 * Math.PI * RADIUS

function Clock({ epoch, now }: { readonly epoch: Epoch; readonly now: number }) {
  const seconds = secondsOf(epoch)
  const passed = (now - Date.parse(epoch.current_epoch_start_time)) / 1000
  const share = Math.min(1, Math.max(0, passed / seconds))
  const end = new Date(Date.parse(epoch.current_epoch_start_time) + seconds * 1000).toISOString()
  const left = seconds - passed
  return (
    <section class="chain-clock" aria-label={`Epoch ${epoch.identifier}`}>
      <svg
        viewBox="0 0 100 100"
        width="112"
        height="112"
        role="img"
        aria-label={`${Math.floor(share * 100)} % of ${epoch.identifier} has passed`}
      >
        <circle class="chain-dial" cx="50" cy="50" r={RADIUS} />
        <circle
          class="chain-hand"
          cx="50"
          cy="50"
          r={RADIUS}
          stroke-dasharray={`${share * AROUND} ${AROUND}`}
          transform="rotate(-90 50 50)"
        />
        <text x="50" y="55" text-anchor="middle">
          {Math.floor(share * 100)} %
        </text>
      </svg>
      <div>
        <h3 class="chain-h">{epoch.identifier}</h3>
        <Facts>
          <Fact name="Number">{epoch.epoch_counting_started ? formatInteger(epoch.current_epoch) : 'not started'}</Fact>
          <Fact name="Ends">
            <time dateTime={end} title={formatExact(end)}>
              {left > 0 ? `in ${formatDuration(left)}` : 'with the next block'}
            </time>
          </Fact>
          <Fact name="Began">
            <span class="num">{formatExact(epoch.current_epoch_start_time)}</span>, block{' '}
            <Height height={epoch.current_epoch_start_height} />
          </Fact>
          <Fact name="Length">{formatDuration(seconds)}</Fact>
        </Facts>
      </div>
    </section>
  )
}
