/** 0x802: contracts of the other virtual machine, of which this chain has none: every contract is an unknown one. */
import { errors } from '../../../sdk/errors.ts'
import { definePrecompile, type Method } from './define.ts'

/** A method whose first argument names a contract. */
function ofContract(signature: string, changesState: boolean): Method {
  return {
    signature,
    reads: 'string',
    returns: '',
    changesState,
    run(_call, args) {
      throw errors.notFound(`no such contract: ${args[0]}`)
    },
  }
}

export const wasmPrecompile = definePrecompile('precompileWasm', [
  ofContract('execute(string,bytes,(string,uint256)[])', true),
  ofContract('query(string,bytes)', false),
  ofContract('queryRaw(string,bytes)', false),
  {
    signature: 'executeMulti((string,bytes,(string,uint256)[])[])',
    reads: '',
    returns: '',
    changesState: true,
    run() {
      throw errors.notFound('no such contract')
    },
  },
  {
    signature: 'instantiate(string,uint64,bytes,string,(string,uint256)[])',
    reads: 'string,uint64',
    returns: '',
    changesState: true,
    run(_call, args) {
      throw errors.notFound(`no such code: ${args[1]}`)
    },
  },
])
