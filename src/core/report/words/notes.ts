// What a reader should know of how the base branch's terms were applied. Foreign names are quoted.
import type { BaseNote } from "../../model/verdict.ts";
import { faultText } from "./faults.ts";

export function describeNote(note: BaseNote): string {
  switch (note.code) {
    case "fault":
      return faultText(note.fault);
    case "overruled":
      return `The pull request's configuration has other settings than the base branch's (${note.settings.join(", ")}): the base branch's are applied.`;
    case "not-judged":
      return `${note.scenario} is measured here but not on the base branch: it is shown and not judged.`;
    case "left-out":
      return `${note.scenario} belongs to a service that the base branch's configuration does not have: it is left out.`;
    case "more-rounds":
      return "There are far more rounds than the base branch looks at: the first ones are judged.";
    case "killed":
      return "The run was stopped before it was complete.";
    case "unchecked-reference":
      return `That the reference ${note.commit.slice(0, 10)} is the base of this pull request was not checked.`;
  }
}
