/** The same question for six clients, with a button that copies each. */
import { useId, useState } from 'preact/hooks'
import { urlOf } from '../api/ask.ts'
import { useLoad } from '../api/load.ts'
import { type NodeFacts, nodeFacts } from '../api/node.ts'
import type { Question } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Copy } from '../ui/values.tsx'
import { openApi } from './document.ts'
import { templatesOf } from './operations.ts'
import type { NodeAddresses, Snippet } from './question.ts'
import { snippetsOf } from './snippets.ts'

export interface PanelProps {
  readonly question: Question
  readonly height: bigint | undefined
}

/** Addresses as this browser reaches the node: its host, and the ports that the node names. */
function addressesOf({ ports }: NodeFacts): NodeAddresses {
  const host = location.hostname
  const http = (port: number | undefined) => (port === undefined ? undefined : `http://${host}:${port}`)
  return {
    rest: urlOf('/').replace(/\/$/, ''),
    jsonrpc: http(ports.jsonrpc),
    grpc: ports.grpc === undefined ? undefined : `${host}:${ports.grpc}`,
    comet: http(ports.comet),
  }
}

export function Panel({ question, height }: PanelProps) {
  const snippets = useLoad([JSON.stringify(question), height ?? ''], async () => {
    const [facts, document] = await Promise.all([nodeFacts(), openApi()])
    const node = { addresses: addressesOf(facts), baseDenom: facts.base_denom, templates: templatesOf(document) }
    return snippetsOf(question, node, height?.toString())
  })
  const isTimed = question.kind === 'rest'
  return (
    <>
      {isTimed && (
        <p class="muted">
          {height === undefined ? 'At the latest height.' : `At height ${formatInteger(height)}, as the page shows it.`}
        </p>
      )}
      <Loaded of={snippets} lines={8}>
        {(found) => <Clients snippets={found} />}
      </Loaded>
    </>
  )
}

let lastClient = 'curl'

function Clients({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const id = useId()
  const [client, setClient] = useState(lastClient)
  const shown = snippets.find((snippet) => snippet.client === client) ?? snippets[0]!
  const select = (name: string): void => {
    lastClient = name
    setClient(name)
  }
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = snippets.indexOf(shown) + step
    const next = snippets[(at + snippets.length) % snippets.length]!
    select(next.client)
    document.getElementById(`${id}-${next.client}`)?.focus()
  }
  return (
    <>
      <div class="how-tabs" role="tablist" aria-label="Client" onKeyDown={move}>
        {snippets.map(({ client: name, text }) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            class={text === undefined ? 'how-none' : undefined}
            aria-selected={shown.client === name}
            aria-controls={`${id}-text`}
            tabIndex={shown.client === name ? 0 : -1}
            onClick={() => select(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${id}-text`} role="tabpanel" aria-label={shown.client} class="how-text">
        {shown.text === undefined ? (
          <p class="muted">{shown.reason}</p>
        ) : (
          <>
            <pre>{shown.text}</pre>
            <Copy text={shown.text} label={`for ${shown.client}`} />
          </>
        )}
      </div>
    </>
  )
}
