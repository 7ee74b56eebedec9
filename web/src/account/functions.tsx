/** The functions of a contract: read at the height of the page, and written by a wallet or, in development, as any account. */
import { useEffect, useState } from 'preact/hooks'
import type { Abi } from 'viem'
import type { ContractArtifact } from '../abi/artifacts.ts'
import type { ContractFunction, Decoded } from '../abi/codec.ts'
import { DecodedFields, oneLine } from '../abi/decoded.tsx'
import { ApiError, ask } from '../api/ask.ts'
import { blockTag, useHeight } from '../api/height.ts'
import { eth } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'
import { Empty, Skeleton } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Hash } from '../ui/values.tsx'
import { type SendAs, Sender } from './sender.tsx'

const isRead = ({ stateMutability }: ContractFunction): boolean =>
  stateMutability === 'view' || stateMutability === 'pure'

const titleOf = ({ name, inputs }: ContractFunction): string => `${name}(${inputs.map(({ type }) => type).join(', ')})`

/** Returns the error of a call in words: what the contract returned, decoded by its ABI. */
async function reasonOf(error: unknown, abi: Abi): Promise<string> {
  const { data, message } = error as ApiError
  if (error instanceof ApiError && typeof data === 'string' && data.startsWith('0x') && data.length >= 10) {
    const { decodeRevert } = await import('../abi/codec.ts')
    const decoded = decodeRevert([abi], data as `0x${string}`)
    if (decoded) return `reverted with ${oneLine(decoded)}`
  }
  return message || String(error)
}

type Outcome =
  | { readonly kind: 'values'; readonly fields: Decoded['fields']; readonly data: string }
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'error'; readonly text: string }

function FunctionForm({
  address,
  abi,
  item,
  sendAs,
}: {
  readonly address: string
  readonly abi: Abi
  readonly item: ContractFunction
  readonly sendAs: SendAs | undefined
}) {
  const height = useHeight()
  const [texts, setTexts] = useState<readonly string[]>(item.inputs.map(() => ''))
  const [value, setValue] = useState('0')
  const [outcome, setOutcome] = useState<Outcome | undefined>()
  const [isRunning, setRunning] = useState(false)
  const reads = isRead(item)
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    setRunning(true)
    setOutcome(undefined)
    try {
      const codec = await import('../abi/codec.ts')
      const data = codec.encodeCall(item, texts)
      if (reads) {
        const output = await ask<`0x${string}`>(eth('eth_call', { to: address, data }, blockTag(height)))
        setOutcome({ kind: 'values', fields: codec.decodeOutput(item, output), data })
      } else {
        if (!sendAs) throw new Error('Choose above who sends the transaction.')
        if (!/^\d+$/.test(value)) throw new Error('value: a whole number of wei is expected')
        const hash = await sendAs({ to: address, data, value: `0x${BigInt(value).toString(16)}` })
        setOutcome({ kind: 'hash', hash })
      }
    } catch (error) {
      setOutcome({ kind: 'error', text: await reasonOf(error, abi) })
    } finally {
      setRunning(false)
    }
  }
  return (
    <details class="function">
      <summary class="mono">{titleOf(item)}</summary>
      <form onSubmit={run} aria-label={titleOf(item)}>
        {item.inputs.map((input, i) => (
          <label key={i}>
            {input.name || `argument ${i + 1}`} <span class="type">{input.type}</span>
            <input
              value={texts[i]}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => setTexts(texts.map((text, at) => (at === i ? event.currentTarget.value : text)))}
            />
          </label>
        ))}
        {item.stateMutability === 'payable' && (
          <label>
            value <span class="type">wei</span>
            <input value={value} inputMode="numeric" onInput={(event) => setValue(event.currentTarget.value)} />
          </label>
        )}
        <button type="submit" disabled={isRunning}>
          {reads ? 'Read' : 'Send'}
        </button>
        {outcome?.kind === 'values' && reads && (
          <AskButton question={eth('eth_call', { to: address, data: outcome.data }, blockTag(height))} />
        )}
        <output aria-live="polite">
          {outcome?.kind === 'values' && <DecodedFields fields={outcome.fields} />}
          {outcome?.kind === 'hash' && (
            <Hash text={outcome.hash} to={`/tx/${outcome.hash}`} label="hash of the transaction" />
          )}
          {outcome?.kind === 'error' && <span class="bad">{outcome.text}</span>}
        </output>
      </form>
    </details>
  )
}

export function Functions({
  address,
  artifact,
}: {
  readonly address: string
  readonly artifact: ContractArtifact | undefined
}) {
  const [standard, setStandard] = useState<Abi | undefined>()
  const [sendAs, setSendAs] = useState<SendAs | undefined>()
  useEffect(() => {
    import('../abi/standard.ts').then(
      ({ STANDARD }) => setStandard(STANDARD[0]),
      () => {},
    )
  }, [])
  const abi = artifact?.abi ?? standard
  if (!abi) return <Skeleton lines={4} />
  const functions = abi.filter((item): item is ContractFunction => item.type === 'function')
  const list = (shown: readonly ContractFunction[]) =>
    shown.length === 0 ? (
      <Empty>There is no such function.</Empty>
    ) : (
      shown.map((item) => <FunctionForm key={titleOf(item)} address={address} abi={abi} item={item} sendAs={sendAs} />)
    )
  return (
    <>
      {!artifact && (
        <p class="muted hint">
          Without an artifact these are the functions that tokens have. This contract may have others, or not all of
          them.
        </p>
      )}
      <div class="cards">
        <Section title="Read">{list(functions.filter(isRead))}</Section>
        <Section title="Write">
          <Sender onChange={(next) => setSendAs(() => next)} />
          {list(functions.filter((item) => !isRead(item)))}
        </Section>
      </div>
    </>
  )
}
