/** Accounts of dumps. */
import type { AccountDump } from '../../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x } from '../../../../primitives/bytes.ts'
import {
  type Field,
  fieldError,
  fieldOf,
  fieldsOf,
  isPresent,
  readAddressText,
  readHex,
  readUint,
  readWord,
} from '../../../../primitives/json-fields.ts'
import { type JsonObject, quantity } from '../../format.ts'

function orElse<T>(field: Field, read: (field: Field) => T, absent: T): T {
  return isPresent(field) ? read(field) : absent
}

/** Reads storage: words by slot. */
export function readStorage(field: Field): AccountDump['storage'] {
  return fieldsOf(field).map(([slot, value]) => [
    readWord({ value: slot, path: `${value.path} (slot)` }),
    readWord(value),
  ])
}

/** Reads an account by its name in an object. */
export function readAccount(name: string, field: Field): AccountDump {
  return {
    address: readAddressText({ value: name, path: field.path }),
    nonce: orElse(fieldOf(field, 'nonce'), (nonce) => readUint(nonce, 64), 0n),
    balanceWei: orElse(fieldOf(field, 'balance'), (balance) => readUint(balance, 256), 0n),
    code: orElse(fieldOf(field, 'code'), (code) => readHex(code), EMPTY),
    storage: readStorage(fieldOf(field, 'storage')),
  }
}

/** Reads the accounts of a dump. Throws `invalidArgument` with the path of a wrong field. */
export function readAccounts(accounts: Field): readonly AccountDump[] {
  if (!isPresent(accounts)) throw fieldError(accounts, 'an object of accounts by address')
  return fieldsOf(accounts).map(([name, field]) => readAccount(name, field))
}

/** Formats an account for a dump. */
export function formatAccount({ nonce, balanceWei, code, storage }: AccountDump): JsonObject {
  return {
    nonce: Number(nonce),
    balance: quantity(balanceWei),
    code: formatHex0x(code),
    storage: Object.fromEntries(storage.map(([slot, value]) => [formatHex0x(slot), formatHex0x(value)])),
  }
}
