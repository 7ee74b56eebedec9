/** One account, both halves of it: the one of the EVM and the one of the SDK. */

import type { QueryEthAccountResponse } from '../../../src/gen/chain/evm/v1/query_pb.ts'
import { ApiError, ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { type Load, useAnswer, useLoad } from '../api/load.ts'
import { type NodeFacts, nodeFacts, useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import type { Wire } from '../api/wire.ts'
import { readAddress, readBech32 } from '../format/address.ts'
import { formatInteger } from '../format/amount.ts'
import type { PageProps } from '../router.tsx'
import { Failure, Loaded, Skeleton } from '../ui/loaded.tsx'
import { Fact, Facts, PageTitle, Section } from '../ui/section.tsx'
import { Hash, Link, Units } from '../ui/values.tsx'
import { Assets } from './assets.tsx'
import { Contract } from './contract.tsx'
import { type AccountForms, formsOf } from './forms.ts'
import { Grants } from './grants.tsx'
import { SendCoins } from './send-coins.tsx'
import { Staking } from './staking.tsx'
import { TokenTransfers } from './token-transfers.tsx'
import { AccountTxs, ReceivedTxs } from './transactions.tsx'
import { Validator } from './validator.tsx'

interface SdkAccount {
  readonly account: Readonly<Record<string, unknown>> & { readonly '@type': string }
}

/** Hash of no code: Keccak-256 of nothing. */
const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

export default function AccountPage({ params: { address = '' } }: PageProps) {
  const node = useNode()
  const facts = useLoad(['facts'], () => nodeFacts())
  const bytes = readAddress(address)
  const wrong = !bytes
    ? `“${address}” is not an address: it is 0x with 40 hexadecimal digits, or Bech32 with any prefix.`
    : bytes.length !== 20 && bytes.length !== 32
      ? `The address has ${bytes.length} bytes; accounts have 20, those of modules 32.`
      : undefined
  if (!bytes || wrong !== undefined) {
    return (
      <>
        <PageTitle title="Account" />
        <Failure error={new Error(wrong)} />
      </>
    )
  }
  if (!node) return facts.error ? <Failure error={facts.error} /> : <Skeleton lines={12} />
  return <Account forms={formsOf(bytes, node)} asked={address} node={node} />
}

function Account({
  forms,
  asked,
  node,
}: {
  readonly forms: AccountForms
  readonly asked: string
  readonly node: NodeFacts
}) {
  const question = rest(`/chain/evm/v1/eth_account/${forms.hex}`)
  const account = useAnswer<Wire<QueryEthAccountResponse>>(question)
  const height = useHeight()
  const prefix = readBech32(asked)?.prefix
  const isOther = prefix !== undefined && !Object.values(node.bech32).includes(prefix)
  const hasCode = account.value !== undefined && account.value.code_hash !== EMPTY_CODE_HASH
  return (
    <>
      <PageTitle title={hasCode ? 'Contract' : 'Account'}>
        {height === undefined ? 'At the latest height' : `At height ${formatInteger(height)}`}
        {isOther && `. The address has the prefix ${prefix} of another chain; the same account is shown here.`}
      </PageTitle>
      <Section
        title="Identity"
        question={question}
        actions={<Link to={`/time?what=${hasCode ? 'contract' : 'account'}&of=${forms.hex}`}>Compare heights</Link>}
      >
        <Facts>
          <Fact name="Ethereum">
            <Hash text={forms.hex} label="address" />
          </Fact>
          <Fact name="Bech32">
            <Hash text={forms.bech32} label="address" />
          </Fact>
          <Balance of={account} node={node} />
          <SdkPart forms={forms} />
        </Facts>
        {forms.hex.length === 42 && <SendCoins to={forms.hex} />}
      </Section>
      <Assets forms={forms} />
      {hasCode && <Contract forms={forms} />}
      <Staking forms={forms} />
      <Grants forms={forms} />
      <Validator forms={forms} />
      <AccountTxs forms={forms} />
      <ReceivedTxs forms={forms} />
      <TokenTransfers forms={forms} />
    </>
  )
}

/** Takes the place of an account while it loads. */
const NOTHING: Pick<Wire<QueryEthAccountResponse>, 'balance' | 'balance_wei' | 'nonce'> = {
  balance: '0',
  balance_wei: '0',
  nonce: '0',
}

/** The native coin of the account in both units, and the nonce. */
function Balance({ of, node }: { readonly of: Load<typeof NOTHING>; readonly node: NodeFacts }) {
  if (of.error) return <Failure error={of.error} />
  return (
    <>
      <Fact name="Balance">
        <Loaded of={of} like={NOTHING}>
          {({ balance_wei }) => (
            <span class="balance">
              <Units base={BigInt(balance_wei)} decimals={18} unit={node.display_denom} />
            </span>
          )}
        </Loaded>
      </Fact>
      <Fact name="In base units">
        <Loaded of={of} like={NOTHING}>
          {({ balance, balance_wei }) => (
            <>
              <span class="num">
                {formatInteger(balance)} <span class="unit">{node.base_denom}</span>
              </span>
              <br />
              <span class="num">
                {formatInteger(balance_wei)} <span class="unit">wei</span>
              </span>
            </>
          )}
        </Loaded>
      </Fact>
      <Fact name="Nonce">
        <Loaded of={of} like={NOTHING}>
          {({ nonce }) => <span class="num">{formatInteger(nonce)}</span>}
        </Loaded>
      </Fact>
    </>
  )
}

/** The account as the SDK stores it: its kind, number and sequence. */
function SdkPart({ forms }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const found = useLoad([forms.bech32, height ?? ''], (signal) =>
    ask<SdkAccount>(rest(`/sdk/auth/v1beta1/accounts/${forms.bech32}`), { height, signal }).catch((error) => {
      if (error instanceof ApiError && error.isAbsent) return undefined
      throw error
    }),
  )
  const absent = (text: string): string => (found.isLoading ? '…' : found.error ? 'could not be read' : text)
  const account = found.value?.account
  const base = (account?.['base_account'] ??
    (account?.['base_vesting_account'] as Record<string, unknown> | undefined)?.['base_account'] ??
    account) as Readonly<Record<string, unknown>> | undefined
  return (
    <>
      <Fact name="Kind">
        {account ? account['@type'].split('.').at(-1) : absent('not created: it has sent nothing')}
        {typeof account?.['name'] === 'string' && ` of ${account['name']}`}
      </Fact>
      <Fact name="Account number">
        <span class="num">{base ? formatInteger(String(base['account_number'] ?? 0)) : absent('none')}</span>
      </Fact>
    </>
  )
}
