/** Proposals: their messages, votes, and the time that is left. */
import type { MessageJson } from '../api/blocks.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { formatInteger, formatShare } from '../format/amount.ts'
import { formatDuration, formatExact } from '../format/time.ts'
import { MessageView } from '../tx/messages.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { useNow } from '../ui/now.ts'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Coin, ExactTime, Link } from '../ui/values.tsx'
import type { SubjectProps } from './subject-props.ts'
import { Voters } from './voters.tsx'

export interface Proposal {
  readonly id: string
  readonly messages: readonly MessageJson[]
  readonly status: string
  readonly final_tally_result: Tally | null
  readonly submit_time: string | null
  readonly deposit_end_time: string | null
  readonly total_deposit: readonly { readonly denom: string; readonly amount: string }[]
  readonly voting_start_time: string | null
  readonly voting_end_time: string | null
  readonly title: string
  readonly summary: string
  readonly proposer: string
}
interface Tally {
  readonly yes_count: string
  readonly abstain_count: string
  readonly no_count: string
  readonly no_with_veto_count: string
}

export const PROPOSALS = rest('/sdk/gov/v1/proposals?pagination.limit=100&pagination.reverse=true')

const STATUS: Readonly<Record<string, readonly [text: string, tag: string]>> = {
  PROPOSAL_STATUS_DEPOSIT_PERIOD: ['collects deposits', 'tag tag-warn'],
  PROPOSAL_STATUS_VOTING_PERIOD: ['is voted on', 'tag tag-warn'],
  PROPOSAL_STATUS_PASSED: ['passed', 'tag tag-good'],
  PROPOSAL_STATUS_REJECTED: ['rejected', 'tag tag-bad'],
  PROPOSAL_STATUS_FAILED: ['passed, and failed to run', 'tag tag-bad'],
}

function Status({ status }: { readonly status: string }) {
  const [text, tag] = STATUS[status] ?? [status, 'tag']
  return <span class={tag}>{text}</span>
}

/** Shows the time until an end, by the second. A decision falls in the first block at or after it. */
function TimeLeft({ end }: { readonly end: string }) {
  const height = useHeight()
  const now = useNow()
  if (height !== undefined) return <ExactTime time={end} />
  const left = (Date.parse(end) - now) / 1000
  return (
    <>
      {left > 0 ? `${formatDuration(left)} left, until ` : 'over; decided in the next block. It ended '}
      <time dateTime={end} class="num">
        {formatExact(end)}
      </time>
    </>
  )
}

export function GovernancePage({ item }: SubjectProps) {
  const proposals = useAnswer<{ readonly proposals: readonly Proposal[] }>(PROPOSALS)
  return (
    <>
      {item !== '' && <One id={item} />}
      <Section title="Proposals" question={PROPOSALS}>
        <Loaded
          of={proposals}
          lines={5}
          empty="Nothing was proposed up to this height."
          isEmpty={(value) => value.proposals.length === 0}
        >
          {({ proposals: list }) => (
            <>
              <Table
                rows={list}
                keyOf={({ id }) => id}
                chosen={item}
                columns={[
                  { name: 'Id', cell: ({ id }) => id },
                  {
                    name: 'Title',
                    cell: ({ id, title }) => <Link to={`/chain/governance/${id}`}>{title || 'without a title'}</Link>,
                  },
                  { name: 'State', cell: ({ status }) => <Status status={status} /> },
                  {
                    name: 'Ends',
                    cell: ({ voting_end_time, deposit_end_time }) => (
                      <ExactTime time={voting_end_time ?? deposit_end_time ?? ''} />
                    ),
                  },
                ]}
              />
              {list.length === 100 && <p class="muted">The newest hundred are shown.</p>}
            </>
          )}
        </Loaded>
      </Section>
    </>
  )
}

function One({ id }: { readonly id: string }) {
  const question = rest(`/sdk/gov/v1/proposals/${encodeURIComponent(id)}`)
  const answer = useAnswer<{ readonly proposal: Proposal }>(question)
  return (
    <Section title={`Proposal ${id}`} question={question}>
      <Loaded of={answer} lines={8}>
        {({ proposal }) => (
          <>
            <Facts>
              <Fact name="Title">{proposal.title || <span class="muted">without a title</span>}</Fact>
              <Fact name="State">
                <Status status={proposal.status} />
              </Fact>
              {proposal.status === 'PROPOSAL_STATUS_VOTING_PERIOD' && proposal.voting_end_time && (
                <Fact name="Vote">
                  <TimeLeft end={proposal.voting_end_time} />
                </Fact>
              )}
              {proposal.status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD' && proposal.deposit_end_time && (
                <Fact name="Deposit period">
                  <TimeLeft end={proposal.deposit_end_time} />
                </Fact>
              )}
              <Fact name="Deposit">
                {proposal.total_deposit.length === 0
                  ? 'nothing'
                  : proposal.total_deposit.map(({ denom, amount }) => (
                      <Coin key={denom} denom={denom} amount={amount} />
                    ))}
              </Fact>
              {proposal.proposer && (
                <Fact name="Proposer">
                  <Address address={proposal.proposer} />
                </Fact>
              )}
              {proposal.submit_time && (
                <Fact name="Submitted">
                  <ExactTime time={proposal.submit_time} />
                </Fact>
              )}
              {proposal.summary && <Fact name="Summary">{proposal.summary}</Fact>}
            </Facts>
            <Votes proposal={proposal} />
            {proposal.voting_end_time && (
              <Voters
                id={id}
                ended={proposal.status === 'PROPOSAL_STATUS_VOTING_PERIOD' ? undefined : proposal.voting_end_time}
              />
            )}
            <h3 class="chain-h">Messages</h3>
            {proposal.messages.length === 0 && <Empty>It has no messages: a vote on a text.</Empty>}
            {proposal.messages.map((message, i) => (
              <MessageView key={`${i} ${message['@type']}`} message={message} />
            ))}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const SIDES: readonly (readonly [field: keyof Tally, name: string, tone: string])[] = [
  ['yes_count', 'Yes', 'good'],
  ['no_count', 'No', 'bad'],
  ['no_with_veto_count', 'No with veto', 'veto'],
  ['abstain_count', 'Abstain', 'none'],
]

function Votes({ proposal: { id, status } }: { readonly proposal: Proposal }) {
  const question = rest(`/sdk/gov/v1/proposals/${id}/tally`)
  const tally = useAnswer<{ readonly tally: Tally }>(question)
  const denom = useAnswer<{ readonly params: { readonly bond_denom: string } }>(rest('/sdk/staking/v1beta1/params'))
    .value?.params.bond_denom
  if (status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD') return null
  return (
    <section aria-label="Tally">
      <h3 class="chain-h">Tally</h3>
      <Loaded of={tally} lines={4}>
        {({ tally: counts }) => {
          const whole = SIDES.reduce((sum, [field]) => sum + BigInt(counts[field]), 0n)
          if (whole === 0n) return <Empty>No votes are cast.</Empty>
          return (
            <div class="table-box">
              <table>
                <tbody>
                  {SIDES.map(([field, name, tone]) => (
                    <tr key={field}>
                      <th scope="row">{name}</th>
                      <td class="chain-bar">
                        <span
                          class={`chain-${tone}`}
                          style={{ width: `${Number((BigInt(counts[field]) * 1000n) / whole) / 10}%` }}
                        />
                      </td>
                      <td class="right">{formatShare(BigInt(counts[field]), whole)}</td>
                      <td class="right">
                        {denom ? <Coin amount={counts[field]} denom={denom} /> : formatInteger(counts[field])}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
    </section>
  )
}
