/** Upgrades: the plan to come, and what earlier ones changed. */
import { Fragment } from 'preact'
import { ApiError, ask } from '../api/ask.ts'
import { useHead } from '../api/head.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer, useLoad, useRound } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { formatCount, formatInteger } from '../format/amount.ts'
import { changesOf } from '../time/diff.ts'
import { findChanges, mapFew } from '../time/few.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Height, Link } from '../ui/values.tsx'
import { PROPOSALS, type Proposal } from './governance.tsx'

interface Plan {
  readonly name: string
  readonly height: string
  readonly info: string
}
interface Versions {
  readonly module_versions: readonly { readonly name: string; readonly version: string }[]
}

const PLAN = rest('/sdk/upgrade/v1beta1/current_plan')
const VERSIONS = rest('/sdk/upgrade/v1beta1/module_versions')

/** Heights that a search for changed versions asks for. */
const BUDGET = 120

interface Applied {
  readonly height: bigint
  /** Names of plans that were applied at this height, as far as proposals name them. */
  readonly names: readonly string[]
  /** Modules whose version changed: `bank 3 → 4`. */
  readonly modules: readonly string[]
}

/** Returns the names of plans in proposals, those that never ran included. */
function planNames(proposals: readonly Proposal[]): string[] {
  const plans = proposals.flatMap(({ messages }) => messages.map((message) => message['plan'] as Plan | undefined))
  return [...new Set(plans.flatMap((plan) => (plan?.name ? [plan.name] : [])))]
}

async function heightOfPlan(name: string, height: bigint | undefined, signal: AbortSignal): Promise<bigint> {
  try {
    const answer = await ask<{ readonly height: string }>(
      rest(`/sdk/upgrade/v1beta1/applied_plan/${encodeURIComponent(name)}`),
      { height, signal },
    )
    return BigInt(answer.height)
  } catch (error) {
    if (error instanceof ApiError && error.isAbsent) return 0n
    throw error
  }
}

async function appliedUpgrades(
  [earliest, latest]: readonly [bigint, bigint],
  signal: AbortSignal,
): Promise<{ readonly applied: readonly Applied[]; readonly isComplete: boolean }> {
  const { proposals } = await ask<{ readonly proposals: readonly Proposal[] }>(PROPOSALS, { height: latest, signal })
  const names = planNames(proposals)
  const heights = await mapFew(names, (name) => heightOfPlan(name, latest, signal))
  const versionsAt = async (height: bigint): Promise<Versions> => ask<Versions>(VERSIONS, { height, signal })
  const found = await findChanges(earliest, latest, async (height) => JSON.stringify(await versionsAt(height)), BUDGET)
  const all = [...new Set([...heights.filter((height) => height > 0n), ...found.heights])].sort((a, b) =>
    a < b ? 1 : -1,
  )
  const applied = await mapFew(all, async (height): Promise<Applied> => {
    const [before, after] =
      height > earliest ? [await versionsAt(height - 1n), await versionsAt(height)] : [undefined, undefined]
    const modules = changesOf(before?.module_versions ?? [], after?.module_versions ?? []).map((change) => {
      const name = /name=([^\]]+)/.exec(change.path)?.[1] ?? change.path
      const version = (value: unknown): string =>
        typeof value === 'string' ? value : ((value as { version?: string })?.version ?? 'none')
      return `${name} ${version(change.before)} → ${version(change.after)}`
    })
    return { height, names: names.filter((_, i) => heights[i] === height), modules }
  })
  return { applied, isComplete: found.isComplete }
}

/** Applied upgrades are searched with every hundredth block. */
const BLOCKS = 100n

export function UpgradesPage() {
  const height = useHeight()
  const head = useHead()
  const shown = height ?? head?.height
  const plan = useAnswer<{ readonly plan: Plan | null }>(PLAN)
  const versions = useAnswer<Versions>(VERSIONS)
  const round = useRound(BLOCKS)
  const applied = useLoad(['applied', round], async (signal) =>
    head ? appliedUpgrades([head.earliest, height ?? head.height], signal) : new Promise<never>(() => {}),
  )
  return (
    <>
      <div class="cards">
        <Section title="Planned" question={PLAN}>
          <Loaded
            of={plan}
            lines={3}
            empty="No upgrade is scheduled at this height."
            isEmpty={(value) => value.plan === null}
          >
            {({ plan: found }) => (
              <Facts>
                <Fact name="Name">{found!.name}</Fact>
                <Fact name="Height">
                  {formatInteger(found!.height)}
                  {shown !== undefined &&
                    BigInt(found!.height) > shown &&
                    `, in ${formatCount(BigInt(found!.height) - shown, 'block')}`}
                </Fact>
                {found!.info && (
                  <Fact name="Info">
                    <span class="mono">{found!.info}</span>
                  </Fact>
                )}
              </Facts>
            )}
          </Loaded>
        </Section>
        <Section title="Module versions" question={VERSIONS}>
          <Loaded of={versions} lines={8}>
            {({ module_versions }) => (
              <ul class="chain-versions">
                {module_versions.map(({ name, version }) => (
                  <li key={name}>
                    {name} <span class="muted">{version}</span>
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </Section>
      </div>
      <Section title="Applied">
        <Loaded of={applied} lines={4}>
          {({ applied: list, isComplete }) => (
            <>
              {list.length === 0 && <p class="muted">No upgrade was applied up to this height.</p>}
              {!isComplete && (
                <p class="muted">
                  The versions changed more often than this page searches; further upgrades can exist.
                </p>
              )}
              {list.length > 0 && (
                <Table
                  rows={list}
                  keyOf={({ height }) => height.toString()}
                  columns={[
                    { name: 'Height', cell: ({ height }) => <Height height={height} /> },
                    {
                      name: 'Plan',
                      cell: ({ names }) => names.join(', ') || <span class="muted">no proposal names it</span>,
                    },
                    {
                      name: 'Module versions',
                      cell: ({ modules }) => modules.join(', ') || <span class="muted">unchanged</span>,
                    },
                    {
                      name: 'Before and after',
                      cell: ({ height, modules }) =>
                        ['upgrade', ...modules.map((change) => change.split(' ')[0]!)].map((name) => (
                          <Fragment key={name}>
                            <Link to={`/time?what=module&of=${name}&from=${height - 1n}&to=${height}`}>
                              {name}
                            </Link>{' '}
                          </Fragment>
                        )),
                    },
                  ]}
                />
              )}
            </>
          )}
        </Loaded>
      </Section>
    </>
  )
}
