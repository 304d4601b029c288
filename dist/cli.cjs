#!/usr/bin/env node
"use strict";var w=Object.create;var n=Object.defineProperty;var m=Object.getOwnPropertyDescriptor;var f=Object.getOwnPropertyNames;var u=Object.getPrototypeOf,g=Object.prototype.hasOwnProperty;var s=(t,e)=>n(t,"name",{value:e,configurable:!0});var v=(t,e,o,i)=>{if(e&&typeof e=="object"||typeof e=="function")for(let r of f(e))!g.call(t,r)&&r!==o&&n(t,r,{get:()=>e[r],enumerable:!(i=m(e,r))||i.enumerable});return t};var a=(t,e,o)=>(o=t!=null?w(u(t)):{},v(e||!t||!t.__esModule?n(o,"default",{value:t,enumerable:!0}):o,t));function c(){process.stdout.on("error",t=>{t.code!=="EPIPE"&&(process.stderr.write(`tailgate: cannot write standard output: ${t.message}
`),process.on("exit",()=>{process.exitCode=2}))}),process.stderr.on("error",()=>{})}s(c,"watchStreams");function d(t){let e=t instanceof Error?t.message.split(`
`)[0]:String(t);process.stderr.write(`tailgate: cannot start: ${e}
  Install Tailgate anew: its dist folder must be whole.
`),process.exitCode=70}s(d,"sayDamaged");var p=24;c();var[l]=process.argv.slice(2);l!==void 0&&["--version","-V","-v","version"].includes(l)?process.stdout.write(`tailgate 0.1.0
`):Number.parseInt(process.versions.node,10)<p?(process.stderr.write(`tailgate: needs Node ${p} or newer, and this is ${process.versions.node}
  Install one (https://nodejs.org) and put it first on the PATH, or start tailgate with it: <node> <path of cli.cjs>.
`),process.exitCode=2):h().catch(d);async function h(){let{startCli:t}=await Promise.resolve().then(()=>a(require("./commands.cjs"),1)),{satellites:e}=await Promise.resolve().then(()=>a(require("./main.cjs"),1));await t(e)}s(h,"start");
