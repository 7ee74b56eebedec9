/** Two heights compared: what changed in an account, a contract or a module. */
import { useEffect, useState } from 'preact/hooks'
import { useHead } from '../api/head.ts'
import { useLoad } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import { openApi } from '../ask/document.ts'
import { readAddress, toBech32, toEip55 } from '../format/address.ts'
import { formatInteger } from '../format/amount.ts'
import { navigate, usePlace } from '../router.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { PageTitle, Section } from '../ui/section.tsx'
import { Height } from '../ui/values.tsx'
import { Changes } from './changes.tsx'
import { accountQuestions, type Compared, compare, contractQuestions, moduleQueries, storageAt } from './subjects.ts'

type Kind = 'account' | 'contract' | 'module'

/** Blocks between the two heights that the page offers first. */
const FIRST_DISTANCE = 100n

const readHeight = (text: string | null): bigint | undefined =>
  text !== null && /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : undefined

export default function TimePage() {
  const { query } = usePlace()
  const head = useHead()
  const kind = (query.get('what') ?? 'module') as Kind
  const from = readHeight(query.get('from'))
  const to = readHeight(query.get('to'))
  const subject = query.get('of') ?? ''
  return (
    <>
      <PageTitle title="Two heights compared">
        What changed in an account, a contract or a module between any two heights that this node keeps.
      </PageTitle>
      {head && <Choice key={query.toString()} kind={kind} subject={subject} from={from} to={to} />}
      {subject !== '' && from !== undefined && to !== undefined ? (
        <Comparison kind={kind} subject={subject} from={from} to={to} />
      ) : (
        <Empty>
          Choose what to compare, and two heights. The address of the page then has them, and can be shared.
        </Empty>
      )}
    </>
  )
}

interface Chosen {
  readonly kind: Kind
  readonly subject: string
  readonly from: bigint | undefined
  readonly to: bigint | undefined
}

function Choice({ kind: first, subject, from, to }: Chosen) {
  const head = useHead()!
  const [kind, setKind] = useState(first)
  const [problem, setProblem] = useState<string | undefined>()
  const modules = useLoad(['modules'], async () => [...moduleQueries(await openApi()).keys()])
  const before = head.height - FIRST_DISTANCE
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string): string => String(form.get(name) ?? '').trim()
    const [one, two] = [readHeight(text('from')), readHeight(text('to'))]
    const isHeight = (height: bigint | undefined): height is bigint =>
      height !== undefined && height >= head.earliest && height <= head.height
    if (!isHeight(one) || !isHeight(two)) {
      setProblem(`Both heights must be from ${formatInteger(head.earliest)} to ${formatInteger(head.height)}.`)
    } else if (kind !== 'module' && readAddress(text('of'))?.length !== 20) {
      setProblem('The address must be 0x… with 40 digits, or Bech32.')
    } else {
      const [low, high] = one < two ? [one, two] : [two, one]
      navigate(`/time?${new URLSearchParams({ what: kind, of: text('of'), from: `${low}`, to: `${high}` })}`)
    }
  }
  return (
    <Section title="Compare">
      <form class="time-form" onSubmit={submit}>
        <label>
          What
          <select name="what" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            <option value="module">Module</option>
            <option value="account">Account</option>
            <option value="contract">Contract</option>
          </select>
        </label>
        {kind === 'module' ? (
          <label>
            Module
            <select name="of" key={String(modules.value?.length)} defaultValue={subject || 'oracle'}>
              {(modules.value ?? [subject || 'oracle']).map((name) => (
                <option key={name} selected={name === (subject || 'oracle')}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <label class="time-wide">
            Address
            <input
              name="of"
              key="address"
              defaultValue={first === kind ? subject : ''}
              placeholder="0x… or Bech32"
              spellcheck={false}
              autocomplete="off"
            />
          </label>
        )}
        <label>
          First height
          <input
            name="from"
            class="time-field num"
            inputMode="numeric"
            defaultValue={String(from ?? (before > head.earliest ? before : head.earliest))}
          />
        </label>
        <label>
          Second height
          <input name="to" class="time-field num" inputMode="numeric" defaultValue={String(to ?? head.height)} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {problem !== undefined && (
        <p class="time-problem" role="alert">
          {problem}
        </p>
      )}
    </Section>
  )
}

interface Outcome {
  readonly parts: readonly Compared[]
  /** Whether every slot of a contract was read. */
  readonly isComplete: boolean
}

async function outcomeOf(
  { kind, subject, from, to }: Chosen & { readonly from: bigint; readonly to: bigint },
  prefix: string,
  signal: AbortSignal,
): Promise<Outcome> {
  if (kind === 'module') {
    const paths = moduleQueries(await openApi()).get(subject)
    if (!paths) throw new Error(`This node has no module ${subject} with queries.`)
    return { parts: await compare(paths.map(rest), [from, to], signal), isComplete: true }
  }
  const bytes = readAddress(subject)
  if (!bytes) throw new Error(`${subject} is not an address.`)
  const address = toEip55(bytes)
  if (kind === 'account') {
    return {
      parts: await compare(accountQuestions(address, toBech32(prefix, bytes)), [from, to], signal),
      isComplete: true,
    }
  }
  const parts = await compare(contractQuestions(address), [from, to], signal)
  const [before, after] = [await storageAt(address, from, signal), await storageAt(address, to, signal)]
  const storage: Compared = { title: 'storage, by slot', question: undefined, before: before.slots, after: after.slots }
  return { parts: [...parts, storage], isComplete: before.isComplete && after.isComplete }
}

function Comparison(chosen: Chosen & { readonly from: bigint; readonly to: bigint }) {
  const { kind, subject, from, to } = chosen
  const prefix = useNode()?.bech32.account
  const outcome = useLoad([`${kind} ${subject}`, from, to, prefix ?? ''], (signal) =>
    prefix === undefined ? new Promise<Outcome>(() => {}) : outcomeOf(chosen, prefix, signal),
  )
  useEffect(() => {
    document.title = `${subject} · Console`
  }, [subject])
  return (
    <Section
      title={
        <span class="time-range-of">
          {subject}: <Height height={from} /> → <Height height={to} />
        </span>
      }
    >
      <Loaded of={outcome} lines={10}>
        {({ parts, isComplete }) => (
          <>
            {!isComplete && (
              <p class="muted">
                The contract has more slots than are compared here: the first 10,000 in the order of their hashes.
              </p>
            )}
            <Changes parts={parts} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
