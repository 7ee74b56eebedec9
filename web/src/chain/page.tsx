/** Pages about the chain's modules, one for each subject. */
import type { ComponentType } from 'preact'
import { hrefOf, type PageProps, usePlace } from '../router.tsx'
import { Failure } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/section.tsx'
import { DenomsPage } from './denoms.tsx'
import { DevgasPage } from './devgas.tsx'
import { EpochsPage } from './epochs.tsx'
import { GovernancePage } from './governance.tsx'
import { OraclePage } from './oracle.tsx'
import { ParametersPage } from './parameters.tsx'
import type { SubjectProps } from './subject-props.ts'
import { SupplyPage } from './supply.tsx'
import { UpgradesPage } from './upgrades.tsx'
import { ValidatorsPage } from './validators.tsx'

interface Subject {
  readonly title: string
  readonly about: string
  readonly Page: ComponentType<SubjectProps>
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  oracle: { title: 'Oracle', about: 'Prices, and the votes of the validators that make them.', Page: OraclePage },
  epochs: { title: 'Epochs', about: 'The periods that the chain counts by the time of its blocks.', Page: EpochsPage },
  supply: { title: 'Supply', about: 'Inflation, supply, and what was minted.', Page: SupplyPage },
  validators: { title: 'Validators', about: 'Stakes, commissions, and missed blocks.', Page: ValidatorsPage },
  governance: {
    title: 'Governance',
    about: 'Proposals, their votes, and the time that is left.',
    Page: GovernancePage,
  },
  upgrades: { title: 'Upgrades', about: 'Plans to come, and what earlier ones changed.', Page: UpgradesPage },
  denoms: { title: 'Denoms', about: 'Coins, those of the token factory, and their ERC-20s.', Page: DenomsPage },
  devgas: {
    title: 'Developer gas',
    about: 'Contracts that earn a share of fees, and what they earned.',
    Page: DevgasPage,
  },
  parameters: {
    title: 'Parameters',
    about: 'Every parameter of every module, with its unit and meaning.',
    Page: ParametersPage,
  },
}

/** Other names of subjects in addresses. */
const NAMES: Readonly<Record<string, string>> = {
  pair: 'oracle',
  pairs: 'oracle',
  validator: 'validators',
  proposals: 'governance',
  proposal: 'governance',
  gov: 'governance',
  denom: 'denoms',
  params: 'parameters',
}

export default function ChainPage({ params: { section = 'oracle', item = '' } }: PageProps) {
  usePlace()
  const name = NAMES[section] ?? section
  const subject = Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name] : undefined
  return (
    <>
      <nav class="chain-nav" aria-label="Subjects of the chain">
        {Object.entries(SUBJECTS).map(([to, { title }]) => (
          <a key={to} href={hrefOf(`/chain/${to}`)} aria-current={to === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {subject ? (
        <>
          <PageTitle title={subject.title}>{subject.about}</PageTitle>
          <subject.Page item={item} />
        </>
      ) : (
        <Failure error={new Error(`There is no subject ${section}. It can be ${Object.keys(SUBJECTS).join(', ')}.`)} />
      )}
    </>
  )
}
