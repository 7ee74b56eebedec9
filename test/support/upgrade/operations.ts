/** All query operations as REST paths that a chain can answer. */
import { getOption } from '@bufbuild/protobuf'
import { modules } from '../../../src/app/modules.ts'
import { contract, person } from '../../../src/app/upgrades/testing/modules.ts'
import { http } from '../../../src/gen/google/api/annotations_pb.ts'
import { methods } from '../../../src/identity/registry.ts'
import { formatBech32, ofModule } from '../../../src/primitives/address.ts'

const VALIDATOR = 'chainvaloper'

/** Returns the value for a variable or a parameter; undefined omits a parameter. */
function standIn(name: string, holder: string, hex: string, i: number): string | undefined {
  const values: Readonly<Record<string, string>> = {
    name: i === 0 ? 'store-added' : 'nosuch',
    last_height: '5',
    height: '2',
    id: '1',
    account_id: '1',
    proposal_id: String(i + 1),
    params_type: 'voting',
    denom: 'unative',
    token: 'unative',
    key: '0x01',
    address_string: holder,
    address_bytes: 'AAECAwQFBgcICQoLDA0ODxAREhM=',
    identifier: 'day',
    pair: 'ubtc:unusd',
    granter: person(i),
    grantee: person(i + 1),
    deployer: person(i),
    withdrawer_address: person(i),
    contract_address: contract(i),
    args: Buffer.from(JSON.stringify({ from: hex, to: hex, value: '0x1' })).toString('base64'),
  }
  const known = values[name]
  if (known !== undefined) return known
  if (name.startsWith('validator') || name.endsWith('validator_addr')) return holder.replace('chain1', `${VALIDATOR}1`)
  if (name === 'cons_address') return formatBech32('chainvalcons', ofModule('gov'))
  return /addr|voter|depositor|creator/.test(name) ? holder : undefined
}

/** Returns paths for all read operations of modules, two for each operation with parameters. */
export function operationsOf({ bech32, address }: { readonly bech32: string; readonly address: string }): string[] {
  const paths = new Set<string>()
  for (const { queries } of modules) {
    for (const { handlers } of queries) {
      for (const { method } of handlers.routes) {
        const full = methods.get(`/${handlers.service.typeName}/${method.name}`)
        const pattern = full && getOption(full, http).pattern
        if (pattern?.case !== 'get' || /trace|estimate|fee_shares/.test(pattern.value)) continue
        for (const i of [0, 1]) {
          const value = (name: string): string | undefined => standIn(name, bech32, address, i)
          const path = pattern.value.replace(/\{([^}]*)\}/g, (_, name: string) =>
            encodeURIComponent(value(name) ?? 'x'),
          )
          const parameters = full!.input.fields.flatMap(({ name, fieldKind }) => {
            const given = fieldKind === 'scalar' && !pattern.value.includes(`{${name}}`) ? value(name) : undefined
            return given === undefined ? [] : [`${name}=${encodeURIComponent(given)}`]
          })
          paths.add(parameters.length === 0 ? path : `${path}?${parameters.join('&')}`)
        }
      }
    }
  }
  // Three operations share this path.
  for (const i of [0, 1, 2]) {
    paths.add(`/chain/devgas/v1/fee_shares/${contract(i * 5)}?by=contract`)
    paths.add(`/chain/devgas/v1/fee_shares/${person(i)}?by=deployer`)
    paths.add(`/chain/devgas/v1/fee_shares/${person(i)}?by=withdrawer`)
  }
  return [...paths]
}
