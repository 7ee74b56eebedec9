/** A contract: its code, its source from dropped artifacts, and its functions to read and write. */
import { useState } from 'preact/hooks'
import { useArtifact } from '../abi/abis.ts'
import { addArtifacts, artifacts, forgetArtifacts } from '../abi/artifacts.ts'
import { RawData } from '../abi/decoded.tsx'
import { ask } from '../api/ask.ts'
import { blockTag, useHeight } from '../api/height.ts'
import { useAnswer, useLoad } from '../api/load.ts'
import { eth } from '../api/question.ts'
import { formatBytes } from '../format/amount.ts'
import { useStore } from '../store.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, Hash } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'
import { Functions } from './functions.tsx'
import { MappedCoin, TokenFacts } from './token.tsx'

export function Contract({ forms: { hex } }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const question = eth('eth_getCode', hex, blockTag(height))
  const code = useAnswer<string>(question)
  const artifact = useArtifact(hex)
  return (
    <>
      <Section title="Code" question={question}>
        <Loaded of={code} lines={3}>
          {(bytes) => (
            <Facts>
              <Fact name="Size">{formatBytes((bytes.length - 2) / 2)}</Fact>
              <Fact name="Bytes">
                <RawData data={bytes} label="Code" />
              </Fact>
              <Fact name="Made in">
                <Creation contract={hex} />
              </Fact>
              <TokenFacts contract={hex} />
              <Fact name="Coin">
                <MappedCoin contract={hex} />
              </Fact>
              <Fact name="Artifact">
                {artifact ? (
                  <strong>{artifact.name}</strong>
                ) : (
                  <span class="muted">no dropped artifact fits this code</span>
                )}
              </Fact>
            </Facts>
          )}
        </Loaded>
        {artifact &&
          Object.entries(artifact.sources).map(([path, text]) => (
            <details key={path}>
              <summary class="mono">{path}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by keyboard */}
              <pre tabIndex={0} role="region" aria-label={`Source ${path}`}>
                {text}
              </pre>
            </details>
          ))}
        <DropZone />
      </Section>
      <Functions address={hex} artifact={artifact} />
    </>
  )
}

/** The transaction that has made a contract, and its sender. */
function Creation({ contract }: { readonly contract: string }) {
  const found = useLoad([contract], (signal) =>
    ask<{ readonly hash: string; readonly creator: string } | null>(eth('ots_getContractCreator', contract), {
      signal,
    }).catch(() => null),
  )
  if (!found.value) return <span class="muted">{found.isLoading ? '…' : 'no transaction of Ethereum'}</span>
  const { hash, creator } = found.value
  return (
    <span class="both">
      <Hash text={hash} to={`/tx/${hash}`} label="hash of the transaction" />
      <span>
        by <Address address={creator} />
      </span>
    </span>
  )
}

/** Takes files by dropping or by choosing. They are read here and sent nowhere. */
function DropZone() {
  const known = useStore(artifacts)
  const [isOver, setOver] = useState(false)
  const [message, setMessage] = useState('')
  const take = (files: FileList | null | undefined): void => {
    setOver(false)
    if (!files || files.length === 0) return
    addArtifacts(files).then(
      (count) => setMessage(`${count} ${count === 1 ? 'contract was' : 'contracts were'} read.`),
      (error: unknown) => setMessage(error instanceof Error ? error.message : String(error)),
    )
  }
  return (
    <fieldset
      class={isOver ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        take(event.dataTransfer?.files)
      }}
    >
      <legend class="visually-hidden">Artifacts</legend>
      <label>
        Drop artifacts here, or choose them: Hardhat, Foundry, standard JSON of solc. They stay in this browser.{' '}
        <input type="file" multiple accept=".json,.sol" onChange={(event) => take(event.currentTarget.files)} />
      </label>
      <p role="status" class="muted">
        {message || (known.length > 0 ? `Known: ${known.map(({ name }) => name).join(', ')}` : '')}
      </p>
      {known.length > 0 && (
        <button type="button" onClick={forgetArtifacts}>
          Forget them
        </button>
      )}
    </fieldset>
  )
}
