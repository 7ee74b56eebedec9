/** The API page: every operation of this node, searchable, with its parameters, errors, and a real answer. */
import { useMemo, useState } from 'preact/hooks'
import { useLoad } from '../api/load.ts'
import type { PageProps } from '../router.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/section.tsx'
import { Link } from '../ui/values.tsx'
import { type Catalog, readCatalog } from './catalog.ts'
import { OperationList } from './list.tsx'
import { OperationView } from './operation.tsx'
import { readSamples } from './samples.ts'

export default function DocsPage({ params }: PageProps) {
  const catalog = useLoad(['catalog'], readCatalog)
  return (
    <>
      <PageTitle title="API">
        Every operation of this node, with a real answer at the height of the page. The same in machine form:{' '}
        <span class="docs-links">
          <a href="openapi.json">openapi.json</a>, <a href="openrpc.json">openrpc.json</a>
        </span>
        .
      </PageTitle>
      <Loaded of={catalog} lines={20}>
        {(found) => <Docs catalog={found} chosen={params['operation']} />}
      </Loaded>
    </>
  )
}

function Docs({ catalog, chosen }: { readonly catalog: Catalog; readonly chosen: string | undefined }) {
  const [text, setText] = useState('')
  const samples = useLoad(['samples'], readSamples)
  const operation = useMemo(() => catalog.operations.find(({ id }) => id === chosen), [catalog, chosen])
  return (
    <div class="docs">
      <OperationList operations={catalog.operations} chosen={operation} text={text} onText={setText} />
      <div class="docs-main">
        {operation ? (
          <Loaded of={samples} lines={12}>
            {(found) => (
              <OperationView key={operation.id} operation={operation} schemas={catalog.schemas} samples={found} />
            )}
          </Loaded>
        ) : chosen === undefined ? (
          <Start catalog={catalog} />
        ) : (
          <Empty>This node has no operation {chosen}. The list has those that it has.</Empty>
        )}
      </div>
    </div>
  )
}

const FIRST: readonly (readonly [string, string])[] = [
  ['sdk.bank.v1beta1.Query/AllBalances', 'Balances of an account'],
  ['chain.evm.v1.Query/Balance', 'Balance of an account in wei, and of one token in both halves'],
  ['chain.oracle.v1beta1.Query/ExchangeRates', 'Prices of the oracle'],
  ['sdk.staking.v1beta1.Query/Validators', 'Validators'],
  ['eth_getBlockByNumber', 'A block, as Ethereum clients see it'],
]

/** Text of the page while no operation is chosen. */
function Start({ catalog: { operations } }: { readonly catalog: Catalog }) {
  const count = (protocol: string) => operations.filter((one) => one.protocol === protocol).length
  const found = FIRST.flatMap(([id, title]) => {
    const end = id.replace(/^(sdk|chain)\./, '.')
    const operation = operations.find((one) => one.id === id || one.id.endsWith(end))
    return operation ? [{ operation, title }] : []
  })
  return (
    <section class="card" aria-label="Start">
      <p>
        {count('REST')} operations of REST, which are gRPC methods and commands too, {count('JSON-RPC')} methods of
        JSON-RPC and {count('engine RPC')} of the engine RPC. Choose one from the list, or search for a name, a path, a
        parameter or a word.
      </p>
      <ul>
        {found.map(({ operation, title }) => (
          <li key={operation.id}>
            <Link to={`/docs/${operation.id}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
