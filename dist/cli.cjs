#!/usr/bin/env node
"use strict";var m=Object.create;var n=Object.defineProperty;var w=Object.getOwnPropertyDescriptor;var f=Object.getOwnPropertyNames;var g=Object.getPrototypeOf,h=Object.prototype.hasOwnProperty;var i=(t,s)=>n(t,"name",{value:s,configurable:!0});var v=(t,s,e,a)=>{if(s&&typeof s=="object"||typeof s=="function")for(let o of f(s))!h.call(t,o)&&o!==e&&n(t,o,{get:()=>s[o],enumerable:!(a=w(s,o))||a.enumerable});return t};var r=(t,s,e)=>(e=t!=null?m(g(t)):{},v(s||!t||!t.__esModule?n(e,"default",{value:t,enumerable:!0}):e,t));var p=require("node:module");function c(t){let s=t instanceof Error?t.message.split(`
`)[0]:String(t);process.stderr.write(`tailgate: cannot start: ${s}
  Install Tailgate anew: its dist folder must be whole.
`),process.exitCode=70}i(c,"sayDamaged");var l=24,[d]=process.argv.slice(2);d==="--version"||d==="-V"?process.stdout.write(`tailgate 0.1.0
`):Number.parseInt(process.versions.node,10)<l?(process.stderr.write(`tailgate: needs Node ${l} or newer, and this is ${process.versions.node}
  Install one (https://nodejs.org) and put it first on the PATH, or start tailgate with it: <node> <path of cli.cjs>.
`),process.exitCode=2):((0,p.enableCompileCache)(),u().catch(c));async function u(){let{startCli:t}=await Promise.resolve().then(()=>r(require("./commands.cjs"),1)),{satellites:s}=await Promise.resolve().then(()=>r(require("./main.cjs"),1));await t(s)}i(u,"start");
