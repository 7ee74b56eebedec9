/** Balances, the faucet, and senders without a key. */
import { useState } from 'preact/hooks'
import { useNode } from '../api/node.ts'
import { eth } from '../api/question.ts'
import { readAddress, toEip55 } from '../format/address.ts'
import { parseUnits, WEI_DECIMALS } from '../format/amount.ts'
import { useOutcome } from '../ui/outcome.ts'
import { Section } from '../ui/section.tsx'
import { Address, Wei } from '../ui/values.tsx'
import { Action, Field, type Fields, Said } from './action.tsx'
import { toQuantity, verb } from './verbs.ts'

function addressOf(fields: Fields): string {
  const bytes = readAddress(fields.text('address'))
  if (bytes?.length !== 20) throw new Error('The address must be 0x… with 40 digits, or Bech32.')
  return toEip55(bytes)
}

function weiOf(fields: Fields): bigint {
  const wei = parseUnits(fields.text('amount'), WEI_DECIMALS)
  if (wei === undefined) throw new Error('The amount must be a decimal number with at most 18 places.')
  return wei
}

export function Accounts() {
  const unit = useNode()?.display_denom ?? 'native'
  return (
    <Section title="Accounts" question={eth('anvil_setBalance', `0x${'00'.repeat(19)}01`, '0x1')}>
      <Action
        button="Add"
        run={async (fields) => {
          const [address, wei] = [addressOf(fields), weiOf(fields)]
          await verb('anvil_addBalance', address, toQuantity(wei))
          return <Balance address={address} wei={BigInt(await verb<string>('eth_getBalance', address, 'pending'))} />
        }}
      >
        <Field label="Faucet: address" name="address" wide />
        <Field label={`Amount, ${unit}`} name="amount" value="100" />
      </Action>
      <Action
        button="Set"
        run={async (fields) => {
          const [address, wei] = [addressOf(fields), weiOf(fields)]
          await verb('anvil_setBalance', address, toQuantity(wei))
          return <Balance address={address} wei={wei} />
        }}
      >
        <Field label="Set balance: address" name="address" wide />
        <Field label={`Amount, ${unit}`} name="amount" value="1000" />
      </Action>
      <Impersonated />
    </Section>
  )
}

const Balance = ({ address, wei }: { readonly address: string; readonly wei: bigint }) => (
  <>
    <Address address={address} short /> has <Wei wei={wei} />.
  </>
)

function Impersonated() {
  const [senders, setSenders] = useState<readonly string[]>([])
  const [outcome, run] = useOutcome()
  const stop = async (address: string): Promise<string> => {
    await verb('anvil_stopImpersonatingAccount', address)
    setSenders((known) => known.filter((one) => one !== address))
    return 'The account needs its key again.'
  }
  return (
    <>
      <Action
        button="Impersonate"
        run={async (fields) => {
          const address = addressOf(fields)
          await verb('anvil_impersonateAccount', address)
          setSenders((known) => [...known.filter((one) => one !== address), address])
          return 'eth_sendTransaction takes transactions from it without a key.'
        }}
      >
        <Field label="Impersonate: address" name="address" wide />
      </Action>
      {senders.length > 0 && (
        <ul class="dev-list">
          {senders.map((address) => (
            <li key={address}>
              <Address address={address} short />
              <button type="button" onClick={() => run(() => stop(address))}>
                Stop
              </button>
            </li>
          ))}
        </ul>
      )}
      <Said outcome={outcome} />
    </>
  )
}
