// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {Counter} from "../src/Counter.sol";
interface Vm { function startBroadcast() external; function stopBroadcast() external; }
contract CounterScript {
  bool public IS_SCRIPT = true;
  Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
  function run() external {
    vm.startBroadcast();
    Counter counter = new Counter();
    counter.inc();
    counter.inc();
    vm.stopBroadcast();
  }
}
