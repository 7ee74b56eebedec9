/** A form that sends native coins to the account of the page, by a wallet or, in development, as any account. */
import { useState } from 'preact/hooks'
import { useNode } from '../api/node.ts'
import { parseUnits } from '../format/amount.ts'
import { Hash } from '../ui/values.tsx'
import { type SendAs, Sender } from './sender.tsx'

const WEI_DECIMALS = 18

export function SendCoins({ to }: { readonly to: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="function" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Send coins to this account</summary>
      {isOpen && <Form to={to} />}
    </details>
  )
}

type Outcome = { readonly hash: string } | { readonly problem: string }

function Form({ to }: { readonly to: string }) {
  const unit = useNode()?.display_denom ?? 'native'
  const [sendAs, setSendAs] = useState<SendAs | undefined>()
  const [amount, setAmount] = useState('')
  const [outcome, setOutcome] = useState<Outcome | undefined>()
  const [isRunning, setRunning] = useState(false)
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    setRunning(true)
    setOutcome(undefined)
    try {
      if (!sendAs) throw new Error('Choose who sends.')
      const wei = parseUnits(amount, WEI_DECIMALS)
      if (!wei) throw new Error(`amount: a number of ${unit} above 0 with at most ${WEI_DECIMALS} decimals is expected`)
      setOutcome({ hash: await sendAs({ to, data: '0x', value: `0x${wei.toString(16)}` }) })
    } catch (error) {
      setOutcome({ problem: error instanceof Error ? error.message : String(error) })
    } finally {
      setRunning(false)
    }
  }
  return (
    <form onSubmit={run} aria-label="Send coins to this account">
      <Sender onChange={(next) => setSendAs(() => next)} />
      <label>
        amount <span class="type">{unit}</span>
        <input
          value={amount}
          inputMode="decimal"
          autocomplete="off"
          onInput={(event) => setAmount(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isRunning}>
        Send
      </button>
      <output aria-live="polite">
        {outcome && 'hash' in outcome && (
          <Hash text={outcome.hash} to={`/tx/${outcome.hash}`} label="hash of the transaction" />
        )}
        {outcome && 'problem' in outcome && <span class="bad">{outcome.problem}</span>}
      </output>
    </form>
  )
}
