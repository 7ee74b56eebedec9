/** The choice of who sends a transaction: a wallet of this browser or, on a development chain, any account. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useNode } from '../api/node.ts'
import { eth } from '../api/question.ts'
import { readAddress, toEip55 } from '../format/address.ts'
import { useStore } from '../store.ts'
import { findWallets, sendByWallet, wallets } from '../wallet/wallets.ts'

interface Transaction {
  readonly to: string
  readonly data: string
  readonly value: string
}

/** Sends a transaction. Returns its hash. */
export type SendAs = (transaction: Transaction) => Promise<string>

/** Sends as an account without its key, which a development chain allows to its own machine. */
async function impersonate(text: string, transaction: Transaction): Promise<string> {
  const bytes = readAddress(text.trim())
  if (bytes?.length !== 20) throw new Error('account: 0x with 40 hexadecimal digits, or Bech32, is expected')
  const from = toEip55(bytes)
  await ask(eth('anvil_impersonateAccount', from))
  try {
    return await ask<string>(eth('eth_sendTransaction', { from, ...transaction }))
  } finally {
    await ask(eth('anvil_stopImpersonatingAccount', from)).catch(() => {})
  }
}

export function Sender({ onChange }: { readonly onChange: (sendAs: SendAs | undefined) => void }) {
  const node = useNode()
  const found = useStore(wallets)
  const [choice, setChoice] = useState('')
  const [account, setAccount] = useState('')
  useEffect(findWallets, [])
  // Runs before the next click, which must not use the previous choice.
  useLayoutEffect(() => {
    const wallet = found.find(({ id }) => id === choice)
    if (wallet && node) onChange((transaction) => sendByWallet(wallet, node.evm_chain_id, transaction))
    else if (choice === 'any') onChange((transaction) => impersonate(account, transaction))
    else onChange(undefined)
  }, [choice, account, found, node])
  if (found.length === 0 && !node?.development) {
    return <p class="muted">Writing needs a wallet in this browser.</p>
  }
  return (
    <div class="sender">
      <label>
        Send by{' '}
        <select value={choice} onChange={(event) => setChoice(event.currentTarget.value)}>
          <option value="">choose …</option>
          {found.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {node?.development && <option value="any">any account (development)</option>}
        </select>
      </label>
      {choice === 'any' && (
        <label>
          Account{' '}
          <input
            value={account}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setAccount(event.currentTarget.value)}
          />
        </label>
      )}
    </div>
  )
}
