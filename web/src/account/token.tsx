/** A contract as a token: its name, its supply, and the coin that a FunToken joins it with. */
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { Failure } from '../ui/loaded.tsx'
import { Fact } from '../ui/section.tsx'
import { Link, Units } from '../ui/values.tsx'
import { read, tokenOf } from './tokens.ts'

/** Name and supply of a contract that is a token, as facts. */
export function TokenFacts({ contract }: { readonly contract: string }) {
  const height = useHeight()
  const found = useLoad([contract, height ?? 'latest', useMoment(SELDOM_MS)], (signal) =>
    tokenOf(contract, height, signal),
  )
  if (found.error) return <Failure error={found.error} />
  const token = found.value
  const absent = found.isLoading ? '…' : 'none: it does not tell name, symbol, decimals and supply'
  return (
    <>
      <Fact name="Token">
        {token ? (
          <>
            <strong>{token.name}</strong> ({token.symbol}), {token.decimals} decimals
          </>
        ) : (
          <span class="muted">{absent}</span>
        )}
      </Fact>
      {token && (
        <Fact name="Supply">
          <Units base={token.supply} decimals={token.decimals} unit={token.symbol} />
        </Fact>
      )}
    </>
  )
}

/** The precompile of FunTokens. */
const FUNTOKEN = '0x0000000000000000000000000000000000000800'

/** Returns the denom of the coin that a FunToken joins with a contract; undefined if it has no FunToken. */
async function coinOf(contract: string, height: bigint | undefined, signal: AbortSignal): Promise<string | undefined> {
  const { FUNTOKEN_BALANCE } = await import('../abi/standard.ts')
  // REST answers 404 for a contract without a coin, which browsers note as a failure of the page.
  const fields = await read(FUNTOKEN, FUNTOKEN_BALANCE, [contract, contract], height, signal)
  const token = fields?.find(({ name }) => name === 'token')
  return token && (JSON.parse(token.value) as { readonly bankDenom: string }).bankDenom
}

/** The coin of the bank that a FunToken joins with a token. */
export function MappedCoin({ contract }: { readonly contract: string }) {
  const height = useHeight()
  const found = useLoad([contract, useMoment(SELDOM_MS)], (signal) => coinOf(contract, height, signal))
  if (found.error) return <Failure error={found.error} />
  if (!found.value) return <span class="muted">{found.isLoading ? '…' : 'none: no FunToken maps this contract'}</span>
  return (
    <>
      <Link to={`/chain/denoms/${found.value}`} class="hash">
        {found.value}
      </Link>{' '}
      {found.value.startsWith('erc20/') ? 'it is made from this token' : 'this token is made from it'}
    </>
  )
}
