/** States of older blocks in dumps, with code in the form in which anvil's EVM keeps it. */
import { delegationTarget } from '../../../../evm/delegation.ts'
import type { AccountDump } from '../../../../modules/evm/keeper.ts'
import { concat, decodeUint, EMPTY, formatHex0x, hex } from '../../../../primitives/bytes.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import {
  type Field,
  fieldError,
  fieldOf,
  fieldsOf,
  isPresent,
  readAddressText,
  readHex,
  readUint,
} from '../../../../primitives/json-fields.ts'
import { type JsonObject, quantity } from '../../format.ts'
import { readAccount, readStorage } from './accounts.ts'

/** The first bytes of the code of an account that delegates (EIP-7702). */
const DELEGATION = hex('ef0100')

/** Reads code in the forms of anvil's historical states: analysed with a padding, a delegation, or bytes. */
function readAnalysed(code: Field): Uint8Array {
  if (!isPresent(code)) return EMPTY
  if (typeof code.value === 'string') return readHex(code)
  const analysed = fieldOf(code, 'LegacyAnalyzed')
  if (isPresent(analysed)) {
    const length = Number(readUint(fieldOf(analysed, 'original_len'), 32))
    return readHex(fieldOf(analysed, 'bytecode')).slice(0, length)
  }
  const delegation = fieldOf(code, 'Eip7702')
  if (!isPresent(delegation)) throw fieldError(code, 'LegacyAnalyzed or Eip7702')
  return concat(DELEGATION, readAddressText(fieldOf(delegation, 'delegated_address')))
}

/** Reads the accounts of a historical state. */
export function readHistoricalAccounts(state: Field): readonly AccountDump[] {
  const storage = fieldOf(state, 'storage')
  return fieldsOf(fieldOf(state, 'accounts')).map(([name, field]) => ({
    ...readAccount(name, { ...field, value: { ...(field.value as object), code: undefined } }),
    code: readAnalysed(fieldOf(field, 'code')),
    storage: isPresent(storage) ? readStorage(fieldOf(storage, name)) : [],
  }))
}

const [JUMPDEST, PUSH1, PUSH32] = [0x5b, 0x60, 0x7f]

/** Returns the bits of the places where code can jump to, as the analysis of anvil's EVM has them. */
function jumpTable(code: Uint8Array): JsonObject {
  const data = new Uint8Array(Math.ceil(code.length / 8))
  for (let at = 0; at < code.length; at++) {
    const op = code[at]!
    if (op === JUMPDEST) data[at >> 3]! |= 1 << (at & 7)
    if (op >= PUSH1 && op <= PUSH32) at += op - PUSH1 + 1
  }
  return {
    order: 'bitvec::order::Lsb0',
    head: { width: 8, index: 0 },
    bits: code.length,
    data: [...data],
  }
}

/** Bytes after the code: the operand of a last PUSH32, and a STOP. */
const PADDING = new Uint8Array(33)

function formatAnalysed(code: Uint8Array): JsonObject {
  const target = delegationTarget(code)
  if (target) return { Eip7702: { delegated_address: formatHex0x(target) } }
  const bytecode = formatHex0x(concat(code, PADDING))
  return { LegacyAnalyzed: { bytecode, original_len: code.length, jump_table: jumpTable(code) } }
}

/** Formats the accounts of a block as a historical state. */
export function formatHistoricalState(accounts: Iterable<AccountDump>): JsonObject {
  const infos: Record<string, JsonObject> = {}
  const storages: Record<string, JsonObject> = {}
  for (const { address, nonce, balanceWei, code, storage } of accounts) {
    const name = formatHex0x(address)
    infos[name] = {
      balance: quantity(balanceWei),
      nonce: Number(nonce),
      code_hash: formatHex0x(keccak256(code)),
      code: formatAnalysed(code),
    }
    storages[name] = Object.fromEntries(storage.map(([slot, value]) => [short(slot), short(value)]))
  }
  return { accounts: infos, storage: storages, block_hashes: {} }
}

/** Formats a word without leading zeros. */
const short = (word: Uint8Array): string => quantity(decodeUint(word))
