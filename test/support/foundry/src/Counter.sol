// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Counter {
  uint256 public x;
  event Inc(uint256 x);
  function inc() external { x++; emit Inc(x); }
  function fail() external pure { revert("no more"); }
}
