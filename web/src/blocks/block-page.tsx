/** One block: its header, its transactions, and the events of its hooks. */
import type { QueryValidatorAccountResponse } from '../../../src/gen/chain/evm/v1/query_pb.ts'
import { ask } from '../api/ask.ts'
import { type Block, readBlock } from '../api/blocks.ts'
import { head, useHead } from '../api/head.ts'
import { selectHeight } from '../api/height.ts'
import { useLoad } from '../api/load.ts'
import { nodeFacts } from '../api/node.ts'
import { engine, rest } from '../api/question.ts'
import type { Wire } from '../api/wire.ts'
import type { Validator } from '../chain/validator-list.ts'
import { fromHex, readAddress, toBech32 } from '../format/address.ts'
import { formatBytes, formatInteger } from '../format/amount.ts'
import type { PageProps } from '../router.tsx'
import { EventList } from '../tx/events.tsx'
import { Empty, Failure, Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, PageTitle, Section } from '../ui/section.tsx'
import { ExactTime, Hash, Height, Link } from '../ui/values.tsx'
import { TxTable } from './tx-table.tsx'

const NO_HASH = '0'.repeat(64)
/** Takes the place of a block while it loads. */
const BLANK: Block = {
  hash: NO_HASH,
  header: {
    chain_id: '',
    height: '0',
    time: '2000-01-01T00:00:00Z',
    proposer_address: NO_HASH.slice(0, 40),
    app_hash: NO_HASH,
    last_block_id: { hash: NO_HASH },
    validators_hash: NO_HASH,
    data_hash: NO_HASH,
  },
  txs: [],
  events: [],
  sizeBytes: 0,
}

export default function BlockPage({ params: { height: text } }: PageProps) {
  if (!/^\d{1,18}$/.test(text ?? ''))
    return (
      <>
        <PageTitle title="Block" />
        <Failure error={new Error(`“${text}” is not a height: it is a number such as 7.`)} />
      </>
    )
  return <OneBlock height={BigInt(text!)} />
}

/** Returns the operator and the name of the validator that signs with the key of an address. */
async function validatorOf(address: string, signal: AbortSignal): Promise<{ operator: string; name: string }> {
  const { bech32 } = await nodeFacts()
  const consensus = toBech32(bech32.consensus, fromHex(address))
  const { account_address } = await ask<Wire<QueryValidatorAccountResponse>>(
    rest(`/chain/evm/v1/validator_account/${consensus}`),
    { signal },
  )
  const operator = toBech32(bech32.validator, readAddress(account_address)!)
  const { validator } = await ask<{ readonly validator: Validator }>(
    rest(`/sdk/staking/v1beta1/validators/${operator}`),
    { signal },
  )
  return { operator, name: validator.description.moniker }
}

/** The validator that has proposed a block, by name if it is one still. */
function Proposer({ address }: { readonly address: string }) {
  const isBlank = address === BLANK.header.proposer_address
  const found = useLoad([address], async (signal) =>
    isBlank ? undefined : validatorOf(address, signal).catch(() => undefined),
  )
  return (
    <span class="both">
      {found.value ? (
        <Link to={`/chain/validators/${found.value.operator}`}>{found.value.name}</Link>
      ) : (
        <span class="muted">{found.isLoading || isBlank ? '…' : 'no validator any more'}</span>
      )}
      <Hash text={address} label="proposer" />
    </span>
  )
}

function OneBlock({ height }: { readonly height: bigint }) {
  const tip = useHead()
  const isThere = tip && height <= tip.height
  // Nothing is asked before it is known whether there is such a block.
  const block = useLoad([height, isThere], (signal) =>
    isThere ? readBlock(height, signal) : new Promise<Block>(() => {}),
  )
  const earliest = tip?.earliest ?? 1n
  const title = (
    <PageTitle
      title={
        <>
          Block <span class="num">{formatInteger(height)}</span>
        </>
      }
    />
  )
  if (tip && !isThere) {
    return (
      <>
        {title}
        <Empty>
          This block is not made yet: the latest is <Height height={tip.height} />. The page shows it once it is there.
        </Empty>
      </>
    )
  }
  return (
    <>
      {title}
      <div class="bar">
        {height > earliest ? (
          <Link to={`/block/${height - 1n}`}>← {formatInteger(height - 1n)}</Link>
        ) : (
          <span class="muted">The first block</span>
        )}
        {tip && height < tip.height ? (
          <Link to={`/block/${height + 1n}`}>{formatInteger(height + 1n)} →</Link>
        ) : (
          <span class="muted">The latest block</span>
        )}
        <button type="button" onClick={() => selectHeight(height === head.get()?.height ? undefined : height)}>
          See the chain at this height
        </button>
      </div>
      <Section title="Header" question={engine('block', { height: height.toString() })}>
        <Loaded of={block} like={BLANK}>
          {({ hash, header, txs, sizeBytes }) => (
            <Facts>
              <Fact name="Hash">
                <Hash text={hash} />
              </Fact>
              <Fact name="Time">
                <ExactTime time={header.time} />
              </Fact>
              <Fact name="Transactions">
                <span class="num">
                  {formatInteger(txs.length)}
                  {txs.length > 0 && <span class="muted">, {formatBytes(sizeBytes)} together</span>}
                </span>
              </Fact>
              <Fact name="Gas used">
                <span class="num">
                  {formatInteger(txs.reduce((sum, { result }) => sum + BigInt(result?.gas_used ?? 0), 0n))}
                </span>
              </Fact>
              <Fact name="Proposer">
                <Proposer address={header.proposer_address} />
              </Fact>
              <Fact name="App hash">
                <Hash text={header.app_hash} />
              </Fact>
              <Fact name="Previous block">
                {header.last_block_id.hash ? (
                  <Hash text={header.last_block_id.hash} to={`/block/${height - 1n}`} />
                ) : (
                  'none: the first block'
                )}
              </Fact>
              <Fact name="Hash of validators">
                <Hash text={header.validators_hash} />
              </Fact>
            </Facts>
          )}
        </Loaded>
      </Section>
      <Section title="Transactions" question={engine('block_results', { height: height.toString() })}>
        <Loaded of={block} lines={3} empty="This block has no transactions." isEmpty={({ txs }) => txs.length === 0}>
          {({ txs }) => <TxTable txs={txs} />}
        </Loaded>
      </Section>
      <Section title="Events of the block" question={engine('block_results', { height: height.toString() })}>
        <Loaded of={block} lines={3}>
          {({ events }) =>
            events.length === 0 ? <Empty>The block itself has no events.</Empty> : <EventList events={events} />
          }
        </Loaded>
      </Section>
    </>
  )
}
