// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract ForkedTest {
  function test_reads_the_state_of_the_chain() external view {
    require(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266.balance > 1 ether && block.chainid == 31337 && block.number > 1);
  }
}
