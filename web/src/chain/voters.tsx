/** The votes on a proposal, by voter. */
import { useAnswer } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'
import { formatShare, parseUnits } from '../format/amount.ts'
import { formatExact } from '../format/time.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Table } from '../ui/table.tsx'
import { Address } from '../ui/values.tsx'

interface Vote {
  readonly voter: string
  readonly options: readonly { readonly option: string; readonly weight: string }[]
}

const NAMES: Readonly<Record<string, string>> = {
  VOTE_OPTION_YES: 'Yes',
  VOTE_OPTION_NO: 'No',
  VOTE_OPTION_NO_WITH_VETO: 'No with veto',
  VOTE_OPTION_ABSTAIN: 'Abstain',
}

const WEIGHT_DECIMALS = 18
const WHOLE = 10n ** BigInt(WEIGHT_DECIMALS)

/** Returns a vote in words: one side, or several with their shares. */
function wordsOf({ options }: Vote): string {
  const [first] = options
  if (options.length === 1) return NAMES[first!.option] ?? first!.option
  return options
    .map(
      ({ option, weight }) =>
        `${formatShare(parseUnits(weight, WEIGHT_DECIMALS) ?? 0n, WHOLE)} ${NAMES[option] ?? option}`,
    )
    .join(', ')
}

const SHOWN = 100

/** Shows the votes on a proposal; `ended` is the time at which voting has ended. */
export function Voters({ id, ended }: { readonly id: string; readonly ended: string | undefined }) {
  const question = rest(`/sdk/gov/v1/proposals/${id}/votes?pagination.limit=${SHOWN}`)
  const found = useAnswer<{ readonly votes: readonly Vote[] }>(question)
  const empty = ended
    ? `Votes are removed when voting ends, here at ${formatExact(ended)}. An earlier height shows them.`
    : 'Nobody has voted yet.'
  return (
    <section aria-label="Voters">
      <h3 class="chain-h">
        Voters <AskButton question={question} label="the votes" />
      </h3>
      <Loaded of={found} lines={3} empty={empty} isEmpty={({ votes }) => votes.length === 0}>
        {({ votes }) => (
          <>
            <Table
              rows={votes}
              keyOf={({ voter }) => voter}
              columns={[
                { name: 'Voter', cell: ({ voter }) => <Address address={voter} /> },
                { name: 'Vote', cell: wordsOf },
              ]}
            />
            {votes.length === SHOWN && <p class="muted">The first hundred are shown.</p>}
          </>
        )}
      </Loaded>
    </section>
  )
}
