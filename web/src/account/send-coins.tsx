/** A form that sends native coins to the account of the page, by a wallet or, in development, as any account. */
import { useState } from 'preact/hooks'
import { useNode } from '../api/node.ts'
import { parseUnits, WEI_DECIMALS } from '../format/amount.ts'
import { useOutcome } from '../ui/outcome.ts'
import { Hash } from '../ui/values.tsx'
import { type SendAs, Sender } from './sender.tsx'

export function SendCoins({ to }: { readonly to: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="function" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Send coins to this account</summary>
      {isOpen && <Form to={to} />}
    </details>
  )
}

function Form({ to }: { readonly to: string }) {
  const unit = useNode()?.display_denom ?? 'native'
  const [sendAs, setSendAs] = useState<SendAs | undefined>()
  const [amount, setAmount] = useState('')
  const [{ isBusy, done, error }, start] = useOutcome()
  const submit = (event: Event): void => {
    event.preventDefault()
    start(async () => {
      if (!sendAs) throw new Error('Choose who sends.')
      const wei = parseUnits(amount, WEI_DECIMALS)
      if (!wei) throw new Error(`amount: a number of ${unit} above 0 with at most ${WEI_DECIMALS} decimals is expected`)
      const hash = await sendAs({ to, data: '0x', value: `0x${wei.toString(16)}` })
      return <Hash text={hash} to={`/tx/${hash}`} label="hash of the transaction" />
    })
  }
  return (
    <form onSubmit={submit} aria-label="Send coins to this account">
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
      <button type="submit" disabled={isBusy}>
        Send
      </button>
      <output aria-live="polite">{error === undefined ? done : <span class="bad">{error}</span>}</output>
    </form>
  )
}
