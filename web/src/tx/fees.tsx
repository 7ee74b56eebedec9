/** The fee of a transaction, and who was paid shares of it. */
import type { Coins, Event } from '../api/blocks.ts'
import type { Question } from '../api/question.ts'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, Coin, Wei } from '../ui/values.tsx'
import type { FoundTx } from './find.ts'

interface Payout {
  readonly withdraw_address: string
  readonly fees_paid: readonly Coins[] | null
}

/** Shares of a fee: what a developer was paid for a contract, and what went to the community pool. */
interface Share {
  readonly contract: string
  readonly payouts: readonly Payout[]
}

const attribute = ({ attributes }: Event, key: string): string => attributes.find((one) => one.key === key)?.value ?? ''

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

function sharesOf(events: readonly Event[]): readonly Share[] {
  return events
    .filter(({ type }) => /EventPayoutDevGas$/.test(type))
    .map((event) => {
      let payouts: readonly Payout[] = []
      try {
        payouts = JSON.parse(unquoted(attribute(event, 'payouts'))) as Payout[]
      } catch {
        // An event of another version has no list.
      }
      return { contract: unquoted(attribute(event, 'contract')), payouts }
    })
}

export function Fees({
  tx: { one, eth, receipt },
  payer,
  question,
}: {
  readonly tx: FoundTx
  readonly question: Question
  readonly payer: string | undefined
}) {
  const fee = one?.tx?.auth_info.fee
  const shares = sharesOf(one?.result?.events ?? [])
  return (
    <Section title="Fee" question={question}>
      <Facts>
        {eth && receipt ? (
          <>
            <Fact name="Fee paid">
              <Wei wei={BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)} />
            </Fact>
            <Fact name="Price of a unit of gas">
              <Wei wei={BigInt(receipt.effectiveGasPrice)} />
            </Fact>
          </>
        ) : (
          <Fact name="Fee paid">
            {fee && fee.amount.length > 0 ? (
              fee.amount.map((coin) => <Coin key={coin.denom} {...coin} />)
            ) : (
              <span class="muted">no fee</span>
            )}
          </Fact>
        )}
        {payer && (
          <Fact name="Paid by">
            <Address address={payer} both />
          </Fact>
        )}
        {fee?.granter && (
          <Fact name="Granted by">
            <Address address={fee.granter} both />
          </Fact>
        )}
        <Fact name="Shares for developers">
          {shares.length === 0 ? (
            <span class="muted">nothing</span>
          ) : (
            shares.flatMap(({ contract, payouts }) =>
              payouts.map(({ withdraw_address, fees_paid }) => (
                <div key={contract + withdraw_address}>
                  {(fees_paid ?? []).map((coin) => (
                    <Coin key={coin.denom} {...coin} />
                  ))}{' '}
                  to <Address address={withdraw_address} short /> for <Address address={contract} short />
                </div>
              )),
            )
          )}
        </Fact>
      </Facts>
    </Section>
  )
}
