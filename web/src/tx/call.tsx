/** The EVM side of a transaction: its call, its logs, the reason of its failure. */

import { useArtifact } from '../abi/abis.ts'
import { DecodedFields, oneLine, RawData, useDecoded } from '../abi/decoded.tsx'
import { ask } from '../api/ask.ts'
import { attributeOf } from '../api/blocks.ts'
import { useLoad } from '../api/load.ts'
import { eth, type Question } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { Empty } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, Hash, Wei } from '../ui/values.tsx'
import type { EthLog, EthTx, FoundTx } from './find.ts'
import { traceQuestion } from './trace.tsx'
import type { CallFrame } from './trace-types.ts'

export function EthCall({ tx }: { readonly tx: EthTx }) {
  const artifact = useArtifact(tx.to)
  const call = useDecoded((codec, abis) => (tx.to ? codec.decodeCall(abis, tx.input) : undefined), tx.hash)
  const isTransfer = tx.input === '0x'
  return (
    <Section title={tx.to ? 'Call' : 'Creation'} question={eth('eth_getTransactionByHash', tx.hash)}>
      <Facts>
        <Fact name="Function">
          {call ? (
            <span class="mono">{call.name}</span>
          ) : isTransfer ? (
            'none: a transfer'
          ) : tx.to ? (
            <>
              <span class="mono">{tx.input.slice(0, 10)}</span>{' '}
              <span class="muted">No known ABI has it. Drop an artifact into the page of the contract.</span>
            </>
          ) : (
            'the constructor'
          )}
        </Fact>
        {artifact && <Fact name="Contract">{artifact.name}</Fact>}
        <Fact name="Value">
          <Wei wei={BigInt(tx.value)} />
        </Fact>
        <Fact name="Data">
          <RawData data={tx.input} label="Input" />
        </Fact>
      </Facts>
      {call && call.fields.length > 0 && (
        <>
          <h3>Arguments</h3>
          <DecodedFields fields={call.fields} />
        </>
      )}
    </Section>
  )
}

/** Shows why a transaction failed: the error that its call returned, decoded if an ABI knows it. */
export function RevertReason({ tx: { eth: ethTx, one } }: { readonly tx: FoundTx }) {
  const trace = useLoad([ethTx?.hash ?? '', 'reason'], (signal) =>
    ethTx ? ask<CallFrame>(traceQuestion(ethTx.hash), { signal }) : Promise.resolve(undefined),
  )
  const output = trace.value?.output ?? '0x'
  const decoded = useDecoded((codec, abis) => (output === '0x' ? undefined : codec.decodeRevert(abis, output)), output)
  const { result } = one ?? {}
  const told = ethTx
    ? (trace.value?.revertReason ??
      trace.value?.error ??
      (result && attributeOf(result.events, /EventEthereumTx$/, 'vm_error')))
    : result && `${result.codespace ?? ''} ${result.code}: ${result.log ?? ''}`
  return (
    <div class="reason">
      <span class="bad">{decoded ? oneLine(decoded) : (told ?? '…')}</span>
      {!decoded && output !== '0x' && <RawData data={output} label="Data of the revert" />}
    </div>
  )
}

function Log({ log }: { readonly log: EthLog }) {
  const decoded = useDecoded((codec, abis) => codec.decodeLog(abis, log.topics, log.data), log.topics.join() + log.data)
  return (
    <li>
      <div class="log-head">
        <strong>{decoded?.name ?? 'Log that no known ABI has'}</strong> <span class="muted">of</span>{' '}
        <Address address={log.address} />
      </div>
      {decoded ? (
        <DecodedFields fields={decoded.fields} />
      ) : (
        <Facts>
          {log.topics.map((topic, i) => (
            <Fact key={i} name={`Topic ${i}`}>
              <Hash text={topic} label="topic" />
            </Fact>
          ))}
          <Fact name="Data">
            <RawData data={log.data} label="Data" />
          </Fact>
        </Facts>
      )}
    </li>
  )
}

export function Logs({ logs, question }: { readonly logs: readonly EthLog[]; readonly question: Question }) {
  return (
    <Section title={`Logs (${formatInteger(logs.length)})`} question={question}>
      {logs.length === 0 ? (
        <Empty>This transaction has written no logs.</Empty>
      ) : (
        <ol class="logs">
          {logs.map((log) => (
            <Log key={log.logIndex} log={log} />
          ))}
        </ol>
      )}
    </Section>
  )
}
