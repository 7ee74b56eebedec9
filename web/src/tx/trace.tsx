/** The calls of a transaction as a tree that unfolds, each with its gas. */
import { useState } from 'preact/hooks'
import { DecodedFields, oneLine, RawData, useDecoded } from '../abi/decoded.tsx'
import { ask } from '../api/ask.ts'
import { useLoad } from '../api/load.ts'
import { eth } from '../api/question.ts'
import { formatInteger, formatShare } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Address, Wei } from '../ui/values.tsx'
import { Steps } from './steps.tsx'
import type { CallFrame } from './trace-types.ts'
import { decodeKey } from './trace-types.ts'

/** Depth to which the tree is unfolded at first. */
const OPEN_DEPTH = 2

export const traceQuestion = (hash: string) =>
  eth('debug_traceTransaction', hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })

/** Returns the name of a call that no ABI has: its selector, if its data can have one. */
function nameOf({ type, input }: CallFrame): string {
  if (type.startsWith('CREATE')) return 'new contract'
  if (input === '0x') return 'transfer'
  return input.length < 10 ? 'call' : input.slice(0, 10)
}

function Frame({ frame, total, depth }: { readonly frame: CallFrame; readonly total: bigint; readonly depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH)
  const call = useDecoded(
    (codec, abis) => (frame.type.startsWith('CREATE') ? undefined : codec.decodeCall(abis, frame.input)),
    decodeKey(frame),
  )
  const result = useDecoded(
    (codec, abis) =>
      frame.error
        ? codec.decodeRevert(abis, frame.output ?? '0x')
        : codec.decodeResult(abis, frame.input, frame.output ?? '0x'),
    decodeKey(frame),
  )
  const gas = BigInt(frame.gasUsed)
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class={frame.error ? 'frame frame-failed' : 'frame'}>
          <span class="tag">{frame.type}</span> <span class="frame-name">{call ? call.name : nameOf(frame)}</span>{' '}
          <span class="muted mono frame-to">{frame.to}</span>
          <span class="frame-gas num">
            {formatInteger(gas)} gas <span class="muted">{formatShare(gas, total)}</span>
          </span>
        </summary>
        {isOpen && (
          <div class="frame-body">
            <dl class="facts">
              <div class="fact">
                <dt>From</dt>
                <dd>
                  <Address address={frame.from} />
                </dd>
              </div>
              {frame.to && (
                <div class="fact">
                  <dt>To</dt>
                  <dd>
                    <Address address={frame.to} />
                  </dd>
                </div>
              )}
              {frame.value && BigInt(frame.value) > 0n && (
                <div class="fact">
                  <dt>Value</dt>
                  <dd>
                    <Wei wei={BigInt(frame.value)} />
                  </dd>
                </div>
              )}
              {frame.error && (
                <div class="fact">
                  <dt>Error</dt>
                  <dd class="bad">{result ? oneLine(result) : (frame.revertReason ?? frame.error)}</dd>
                </div>
              )}
            </dl>
            {call && call.fields.length > 0 && (
              <>
                <h3>Arguments</h3>
                <DecodedFields fields={call.fields} />
              </>
            )}
            {!frame.error && result && result.fields.length > 0 && (
              <>
                <h3>Returned</h3>
                <DecodedFields fields={result.fields} />
              </>
            )}
            <RawData data={frame.input} label="Input" />
            {frame.output && frame.output !== '0x' && <RawData data={frame.output} label="Output" />}
            {frame.logs?.map((log, i) => (
              <LogLine key={i} topics={log.topics} data={log.data} />
            ))}
          </div>
        )}
      </details>
      {isOpen && frame.calls && (
        <ul>
          {frame.calls.map((inner, i) => (
            <Frame key={i} frame={inner} total={total} depth={depth + 1} />
          ))}
        </ul>
      )}
    </li>
  )
}

function LogLine({ topics, data }: { readonly topics: readonly `0x${string}`[]; readonly data: `0x${string}` }) {
  const log = useDecoded((codec, abis) => codec.decodeLog(abis, topics, data), topics.join() + data)
  return (
    <p class="frame-log mono">
      <span class="tag">LOG</span> {log ? oneLine(log) : (topics[0] ?? 'without topics')}
    </p>
  )
}

/** The trace of a transaction, asked when the section is opened. */
export function Trace({ hash }: { readonly hash: string }) {
  const trace = useLoad([hash, 'trace'], (signal) => ask<CallFrame>(traceQuestion(hash), { signal }))
  return (
    <Section title="Trace" question={traceQuestion(hash)}>
      <Loaded of={trace} lines={5}>
        {(top) => (
          <>
            <ul aria-label="Calls" class="tree">
              <Frame frame={top} total={BigInt(top.gasUsed)} depth={0} />
            </ul>
            <Steps hash={hash} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
