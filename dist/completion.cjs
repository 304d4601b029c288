var D=Object.create;var g=Object.defineProperty;var v=Object.getOwnPropertyDescriptor;var z=Object.getOwnPropertyNames;var E=Object.getPrototypeOf,F=Object.prototype.hasOwnProperty;var r=(e,t)=>g(e,"name",{value:t,configurable:!0});var V=(e,t)=>()=>{try{return t||e((t={exports:{}}).exports,t),t.exports}catch(s){throw t=0,s}},A=(e,t)=>{for(var s in t)g(e,s,{get:t[s],enumerable:!0})},O=(e,t,s,o)=>{if(t&&typeof t=="object"||typeof t=="function")for(let n of z(t))!F.call(e,n)&&n!==s&&g(e,n,{get:()=>t[n],enumerable:!(o=v(t,n))||o.enumerable});return e};var L=(e,t,s)=>(s=e!=null?D(E(e)):{},O(t||!e||!e.__esModule?g(s,"default",{value:e,enumerable:!0}):s,e)),I=e=>O(g({},"__esModule",{value:!0}),e);var k=V((B,w)=>{w.exports=require("./main.cjs").parts["src/core/base/errors.ts"]()});var U={};A(U,{renderCompletion:()=>T});module.exports=I(U);var W=L(k(),1);var q=/^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)(?: (<[^>]+>))? +(.*)$/;function y(e,t){let[s="",,o="",...n]=t.split(`
`),i=n.flatMap(p=>{let c=q.exec(p);if(c===null)return[];let[,a=null,u="",d=null,f=""]=c;return[{name:u,short:a,takes:d,help:f}]}),l=s.replace(`tailgate ${e}`,"").replace("[flags]","").trim();return{name:e,summary:o.trim(),positionals:l,flags:i}}r(y,"parseHelp");function m(e){return e.includes("|")?{kind:"words",words:e.replaceAll(/[<>]/g,"").split(/ ?\| ?/)}:e==="<command>"?{kind:"commands"}:e==="<folder>"?{kind:"folders"}:{kind:/^<(file|.*\.json)>$/.test(e)?"files":"unknown"}}r(m,"valuesOf");function j(e){let t=e.map(({name:n})=>n).join(" "),s=e.flatMap(({name:n,flags:i})=>i.flatMap(l=>l.takes===null?[]:`    "${n} ${l.name}") ${R(m(l.takes),t)}; return ;;`)),o=e.map(({name:n,positionals:i,flags:l})=>{let p=[...l.map(a=>a.name),"--help"].join(" "),c=R(m(i),t);return`    ${n}) [[ $current == -* ]] || { ${c}; return; }; flags="${p}" ;;`});return`# Completes tailgate in bash. In ~/.bashrc: source <(tailgate completion bash)
_tailgate_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_tailgate_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_tailgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _tailgate_words "${t} --help --version"
    return
  fi
  # Behind -- stands the command of another program.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} != -- ]] || { _tailgate_paths -f; return; }
  done
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${s.join(`
`)}
  esac
  case "\${COMP_WORDS[1]}" in
${o.join(`
`)}
  esac
  _tailgate_words "$flags"
}
complete -F _tailgate tailgate
`}r(j,"bashScript");function R(e,t){switch(e.kind){case"words":return`_tailgate_words "${e.words.join(" ")}"`;case"commands":return`_tailgate_words "${t}"`;case"files":return"_tailgate_paths -f";case"folders":return"_tailgate_paths -d";case"unknown":return":"}}r(R,"offer");function x(e){let t=e.map(({name:o})=>o).join(" ");return`# Completes tailgate in fish: tailgate completion fish > ~/.config/fish/completions/tailgate.fish
complete -c tailgate -f
complete -c tailgate -s h -l help -d 'flags and examples'
complete -c tailgate -n __fish_use_subcommand -l version -d 'the version of tailgate'
${e.flatMap(({name:o,summary:n,positionals:i,flags:l})=>{let p=`complete -c tailgate -n ${$(`__fish_seen_subcommand_from ${o}`)}`,c=M(m(i),t);return[`complete -c tailgate -n __fish_use_subcommand -a ${o} -d ${$(n)}`,...c===""?[]:[`${p} ${c}`],...l.map(a=>{let u=a.short===null?"":` -s ${a.short.slice(1)}`,d=a.takes===null?"":` -x ${M(m(a.takes),t)}`,f=`-l ${a.name.slice(2)}${u}${d.replace("-x -F","-r -F").trimEnd()}`;return`${p} ${f} -d ${$(a.help)}`})]}).join(`
`)}
`}r(x,"fishScript");function M(e,t){switch(e.kind){case"words":return`-a ${$(e.words.join(" "))}`;case"commands":return`-a ${$(t)}`;case"files":return"-F";case"folders":return"-a '(__fish_complete_directories)'";case"unknown":return""}}r(M,"offer");function $(e){return`'${e.replaceAll("\\","\\\\").replaceAll("'","\\'")}'`}r($,"quoted");function S(e){let t=e.map(({name:n})=>n).join(" "),s=e.map(({name:n,summary:i})=>`    ${_(`${n}:${i.replaceAll(":","\\:")}`)}`),o=e.map(n=>{let i=n.flags.map(({name:p,short:c,takes:a,help:u})=>{let d=u.includes("several times")?"*":"",f=a===null?"":`:${b(a)}:${P(m(a),t)}`,C=_(`[${b(u)}]${f}`);return c===null?`${_(d+p)}${C}`:`{${c},${p}}${C}`}),l=_(`1: :${P(m(n.positionals),t)}`);return`    ${n.name}) _arguments ${[...i,...H,l].join(" ")} ;;`});return`#compdef tailgate
# Completes tailgate in zsh. In ~/.zshrc, after compinit: source <(tailgate completion zsh)
_tailgate() {
  local -a commands=(
${s.join(`
`)}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
${o.join(`
`)}
  esac
}
if [[ $funcstack[1] == _tailgate ]]; then _tailgate "$@"; else compdef _tailgate tailgate; fi
`}r(S,"zshScript");var H=["'--help[flags and examples]'"];function P(e,t){switch(e.kind){case"words":return`(${e.words.join(" ")})`;case"commands":return`(${t})`;case"files":return"_files";case"folders":return"_files -/";case"unknown":return" "}}r(P,"offer");function b(e){return e.replaceAll(/[[\]:\\]/g,"\\$&")}r(b,"inSpec");function _(e){return`'${e.replaceAll("'","'\\''")}'`}r(_,"quoted");var h={bash:j,zsh:S,fish:x},N={name:"help",summary:"flags and examples of a command",positionals:"<command>",flags:[]};function T(e,t){let s=Object.hasOwn(h,e)?h[e]:void 0,o=Object.entries(t).map(([i,l])=>y(i,l));if(s!==void 0)return s([...o,N]);let n=e===""?"name a shell":`there is none for ${e}`;throw new W.UserError(`tailgate completion: ${n}`,{next:`One of: ${Object.keys(h).join(", ")}.`})}r(T,"renderCompletion");0&&(module.exports={renderCompletion});
