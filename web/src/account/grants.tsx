/** Authorizations and fee allowances: those that an account gives, and those that it has. */
import type { MessageJson } from '../api/blocks.ts'
import { shortType } from '../api/blocks.ts'
import { type Load, SELDOM_MS, useAnswer } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { Fields } from '../tx/messages.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, ExactTime } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'

interface Grant {
  readonly granter: string
  readonly grantee: string
  readonly authorization: MessageJson
  readonly expiration: string | null
}

interface Allowance {
  readonly granter: string
  readonly grantee: string
  readonly allowance: MessageJson
}

type Grants = { readonly grants: readonly Grant[] }
type Allowances = { readonly allowances: readonly Allowance[] }

function GrantList({ of, side }: { readonly of: Load<Grants>; readonly side: 'granter' | 'grantee' }) {
  return (
    <Loaded of={of} lines={1}>
      {({ grants }) =>
        grants.length === 0 ? (
          <span class="muted">nothing</span>
        ) : (
          grants.map((grant, i) => (
            <details key={i}>
              <summary>
                {shortType(grant.authorization['@type'])} {side === 'granter' ? 'from' : 'to'}{' '}
                <Address address={grant[side]} short />
              </summary>
              {grant.expiration && <ExactTime time={grant.expiration} />}
              <Fields value={grant.authorization} />
            </details>
          ))
        )
      }
    </Loaded>
  )
}

function AllowanceList({ of, side }: { readonly of: Load<Allowances>; readonly side: 'granter' | 'grantee' }) {
  return (
    <Loaded of={of} lines={1}>
      {({ allowances }) =>
        allowances.length === 0 ? (
          <span class="muted">nothing</span>
        ) : (
          allowances.map((one, i) => (
            <details key={i}>
              <summary>
                {shortType(one.allowance['@type'])} {side === 'granter' ? 'from' : 'to'}{' '}
                <Address address={one[side]} short />
              </summary>
              <Fields value={one.allowance} />
            </details>
          ))
        )
      }
    </Loaded>
  )
}

export function Grants({ forms: { bech32 } }: { readonly forms: AccountForms }) {
  const given = rest(`/sdk/authz/v1beta1/grants/granter/${bech32}`)
  const givenGrants = useAnswer<Grants>(given, SELDOM_MS)
  const heldGrants = useAnswer<Grants>(rest(`/sdk/authz/v1beta1/grants/grantee/${bech32}`), SELDOM_MS)
  const issued = useAnswer<Allowances>(rest(`/sdk/feegrant/v1beta1/issued/${bech32}`), SELDOM_MS)
  const held = useAnswer<Allowances>(rest(`/sdk/feegrant/v1beta1/allowances/${bech32}`), SELDOM_MS)
  return (
    <Section title="Grants and allowances" question={given}>
      <Facts>
        <Fact name="Granted to others">
          <GrantList of={givenGrants} side="grantee" />
        </Fact>
        <Fact name="Granted by others">
          <GrantList of={heldGrants} side="granter" />
        </Fact>
        <Fact name="Pays fees of">
          <AllowanceList of={issued} side="grantee" />
        </Fact>
        <Fact name="Fees paid by">
          <AllowanceList of={held} side="granter" />
        </Fact>
      </Facts>
    </Section>
  )
}
