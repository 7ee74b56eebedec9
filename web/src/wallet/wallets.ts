/** Wallets of this browser (EIP-6963, and Keplr), which sign in their own window. */
import { createStore } from '../store.ts'

interface Eip1193 {
  request(call: { method: string; params?: unknown }): Promise<unknown>
}

export interface Wallet {
  readonly id: string
  readonly name: string
  readonly provider: Eip1193
}

interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly rdns: string }
  readonly provider: Eip1193
}

export const wallets = createStore<readonly Wallet[]>([])

function add(wallet: Wallet): void {
  if (wallets.get().some(({ id, name }) => id === wallet.id || name === wallet.name)) return
  wallets.set([...wallets.get(), wallet])
}

let isLooking = false

/** Asks the wallets of this browser to announce themselves. */
export function findWallets(): void {
  if (!isLooking) {
    isLooking = true
    addEventListener('eip6963:announceProvider', (event) => {
      const { info, provider } = (event as CustomEvent<Announcement>).detail
      add({ id: info.uuid, name: info.name, provider })
    })
  }
  dispatchEvent(new Event('eip6963:requestProvider'))
  // Versions of Keplr without EIP-6963 have their Ethereum provider here.
  const { keplr } = globalThis as { keplr?: { ethereum?: Eip1193 } }
  if (keplr?.ethereum) add({ id: 'keplr', name: 'Keplr', provider: keplr.ethereum })
}

/**
 * Sends a transaction by a wallet, from its first account. Returns the hash. Rejects with the wallet's own error, and with one
 * that names the chain if the wallet is on another one and does not switch.
 */
export async function sendByWallet(
  { name, provider }: Wallet,
  chainId: string,
  transaction: { readonly to: string; readonly data: string; readonly value: string },
): Promise<string> {
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!from) throw new Error(`${name} has given no account`)
  const wanted = `0x${BigInt(chainId).toString(16)}`
  if (BigInt((await provider.request({ method: 'eth_chainId' })) as string) !== BigInt(chainId)) {
    try {
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] })
    } catch {
      throw new Error(`${name} is on another chain: select the one with the EVM chain id ${chainId} in it`)
    }
  }
  return (await provider.request({ method: 'eth_sendTransaction', params: [{ from, ...transaction }] })) as string
}
