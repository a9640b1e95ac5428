// Made by tools/generate-answers.ts from engine/catalogue/answers.ts: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** Schemas of what pages answer, and of what that is made of, by name. */
export const ANSWER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  "Acknowledgement": {
    "type": "object",
    "properties": {
      "accepted": {
        "type": "boolean"
      },
      "reason": {
        "type": "string",
        "enum": [
          "settled",
          "unknown",
          "ambiguous",
          "not_awaited",
          "late",
          "duplicate"
        ]
      },
      "message": {
        "type": "string"
      },
      "world": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "source_invocation_id": {
        "type": "string"
      },
      "made": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/QueueReport"
          },
          {
            "$ref": "#/components/schemas/WorldSnapshot"
          },
          {
            "$ref": "#/components/schemas/Deleted"
          },
          {
            "$ref": "#/components/schemas/EditedWorld"
          },
          {
            "$ref": "#/components/schemas/SettledCall"
          },
          {
            "$ref": "#/components/schemas/GrantRecord"
          }
        ],
        "description": "What an action has made, as its command prints it with `--json`."
      }
    },
    "required": [
      "accepted",
      "message"
    ],
    "additionalProperties": false,
    "description": "The outcome of a report to an attempt. It is `accepted` where it has an effect: the attempt resumes, or the report has `settled` a call in doubt. Otherwise no retry is needed: `unknown` names nothing; `ambiguous` is the name of several calls; `not_awaited` a call that is answered at once or not at all; `late` is for what is over; `duplicate` was reported before."
  },
  "Overview": {
    "type": "object",
    "properties": {
      "stirring": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StirringWorld"
        },
        "description": "The one that needs a person most first; at most 20."
      },
      "worlds": {
        "$ref": "#/components/schemas/Part_ListedWorld",
        "description": "The first by name."
      },
      "latest": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/LatestTurn"
          },
          {
            "type": "null"
          }
        ],
        "description": "Null where no such world has a turn."
      },
      "documents": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/KindCount"
        }
      },
      "inbox": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedMessage"
        },
        "description": "The oldest messages; none for consumers."
      }
    },
    "required": [
      "stirring",
      "worlds",
      "latest",
      "documents",
      "inbox"
    ],
    "additionalProperties": false
  },
  "Worlds": {
    "$ref": "#/components/schemas/Part_ListedWorld"
  },
  "World": {
    "$ref": "#/components/schemas/WorldPage"
  },
  "Turn": {
    "$ref": "#/components/schemas/TurnPage"
  },
  "Patches": {
    "$ref": "#/components/schemas/Part_PatchStory"
  },
  "Entities": {
    "$ref": "#/components/schemas/Part_Entity"
  },
  "EntityLife": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string"
      },
      "name": {
        "type": "string"
      },
      "kind": {
        "type": "string",
        "enum": [
          "agent",
          "prop"
        ]
      },
      "environment": {
        "type": "string"
      },
      "goal": {
        "type": "string"
      },
      "state": {
        "type": "string"
      },
      "origins": {
        "$ref": "#/components/schemas/Origins",
        "description": "Of its state; left out where the scenario wrote it."
      },
      "memory": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Memory"
        },
        "description": "Its memories, oldest first, and their turns; 0 for those of the scenario."
      },
      "world_slug": {
        "type": "string"
      },
      "turn": {
        "type": "number"
      },
      "simulation_time": {
        "type": "string"
      },
      "last_turn": {
        "type": "number",
        "description": "The latest turn of the world."
      },
      "history": {
        "$ref": "#/components/schemas/Part_EffectOrigin"
      }
    },
    "required": [
      "history",
      "id",
      "kind",
      "last_turn",
      "memory",
      "name",
      "simulation_time",
      "state",
      "turn",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An entity, and a part of its changes up to that turn, the latest first."
  },
  "TracedText": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "agent_id": {
        "type": "string"
      },
      "text": {
        "type": "string"
      },
      "path": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/LearntText"
        },
        "description": "Each agent that it came through, the asked one first; empty where no prompt of the agent had it."
      }
    },
    "required": [
      "world_slug",
      "agent_id",
      "text",
      "path"
    ],
    "additionalProperties": false,
    "description": "How an agent came to know a text."
  },
  "Diff": {
    "$ref": "#/components/schemas/WorldDiff"
  },
  "WorldCost": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "total": {
        "$ref": "#/components/schemas/Cost"
      },
      "groups": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/GroupedCosts"
        },
        "description": "Each holds every call once."
      },
      "prompts": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/PromptParts"
          },
          {
            "type": "null"
          }
        ],
        "description": "What filled the prompts; null where it was not asked for, and of more than 1000 calls it is not unasked."
      },
      "prices": {
        "anyOf": [
          {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "snapshot_age_days": {
                "type": "number"
              },
              "snapshot": {
                "type": "string",
                "description": "The package whose snapshot ships, with its version."
              },
              "snapshot_date": {
                "type": "string",
                "description": "The day on which the snapshot was published: `2026-09-23`."
              },
              "file": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The operator's own file; null where there is none."
              }
            },
            "required": [
              "file",
              "snapshot",
              "snapshot_age_days",
              "snapshot_date"
            ]
          },
          {
            "type": "null"
          }
        ],
        "description": "Null where nothing is priced."
      }
    },
    "required": [
      "world_slug",
      "total",
      "groups",
      "prompts",
      "prices"
    ],
    "additionalProperties": false,
    "description": "What a world has cost: the calls that were made in it, without those of the world that it is a fork of."
  },
  "PolicyExplanation": {
    "type": "object",
    "properties": {
      "decision": {
        "$ref": "#/components/schemas/Decision"
      },
      "rule": {
        "type": [
          "string",
          "null"
        ],
        "description": "The pointer of the rule in its policy; null where none matches, which denies."
      },
      "because": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "subject_id": {
        "type": "string"
      },
      "tool": {
        "type": "string"
      },
      "effect": {
        "$ref": "#/components/schemas/EffectClass"
      },
      "source": {
        "type": "string",
        "description": "The label of its source."
      },
      "policy_hash": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null where the profile names no policy: then everything is denied."
      },
      "may_become": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Decision"
        },
        "description": "What else may be decided, depending on arguments; none where they are given."
      },
      "rules": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ExplainedRule"
        },
        "description": "The rules that are for this call, the strongest decision first."
      },
      "known_arguments": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "The pointers of the arguments that are known, as if the model had read its prompt alone; null without arguments."
      }
    },
    "required": [
      "because",
      "decision",
      "effect",
      "known_arguments",
      "may_become",
      "policy_hash",
      "rule",
      "rules",
      "source",
      "subject_id",
      "tool",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "What the tool policy decides about a call of one subject, and why."
  },
  "Attempts": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "states": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StatusCount"
        }
      },
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/CostedAttempt"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "next",
      "rows",
      "states"
    ]
  },
  "Attempt": {
    "$ref": "#/components/schemas/AttemptPage"
  },
  "Event": {
    "$ref": "#/components/schemas/EventRecord"
  },
  "Calls": {
    "$ref": "#/components/schemas/Part_InvocationSummary"
  },
  "Agents": {
    "$ref": "#/components/schemas/Part_ListedAgent"
  },
  "AttemptComparison": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "before": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/AttemptSummary"
          },
          {
            "type": "null"
          }
        ],
        "description": "Null where there is no other attempt."
      },
      "after": {
        "$ref": "#/components/schemas/AttemptSummary"
      },
      "calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComparedCall"
        },
        "description": "At most 500, in the order of the first attempt: those that are alike are left out before those that differ."
      },
      "counts": {
        "type": "object",
        "properties": {
          "only_before": {
            "type": "number"
          },
          "only_after": {
            "type": "number"
          },
          "adopted": {
            "type": "number"
          },
          "asked_otherwise": {
            "type": "number"
          },
          "answered_otherwise": {
            "type": "number"
          },
          "same": {
            "type": "number"
          }
        },
        "required": [
          "only_before",
          "only_after",
          "adopted",
          "asked_otherwise",
          "answered_otherwise",
          "same"
        ],
        "additionalProperties": false,
        "description": "How many calls there are of each comparison."
      },
      "patches": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComparedPatch"
        }
      }
    },
    "required": [
      "after",
      "attempt_id",
      "attempted_turn",
      "before",
      "calls",
      "counts",
      "patches",
      "world_slug"
    ],
    "additionalProperties": false
  },
  "AgentTurns": {
    "$ref": "#/components/schemas/Part_AgentTurnSummary"
  },
  "AgentTurn": {
    "$ref": "#/components/schemas/ResolvedAgentTurn"
  },
  "SourceInvocations": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "states": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StatusCount"
        }
      },
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedInvocation"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "next",
      "rows",
      "states"
    ]
  },
  "SourceInvocation": {
    "$ref": "#/components/schemas/InvocationRecord"
  },
  "LlmCalls": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "states": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StatusCount"
        }
      },
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedLlmCall"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "next",
      "rows",
      "states"
    ]
  },
  "LlmCall": {
    "$ref": "#/components/schemas/LlmCallRecord"
  },
  "WorkOrders": {
    "$ref": "#/components/schemas/Part_ListedOrder"
  },
  "WorkOrder": {
    "$ref": "#/components/schemas/OrderRecord"
  },
  "Ledger": {
    "$ref": "#/components/schemas/Part_ListedEntry"
  },
  "Verification": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null of a whole world."
      },
      "ok": {
        "type": "boolean"
      },
      "says": {
        "type": "string",
        "description": "In one sentence."
      },
      "attempts": {
        "type": "number"
      },
      "entries": {
        "type": "number"
      },
      "seals": {
        "type": "number"
      },
      "root": {
        "type": [
          "string",
          "null"
        ],
        "description": "The root of the last seal, as 64 hex digits: two parties who hold the same one have the same record."
      },
      "findings": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Finding"
        }
      }
    },
    "required": [
      "world_slug",
      "attempt_id",
      "ok",
      "says",
      "attempts",
      "entries",
      "seals",
      "root",
      "findings"
    ],
    "additionalProperties": false,
    "description": "Whether a record still is what was sealed."
  },
  "Approval": {
    "$ref": "#/components/schemas/ApprovalRecord"
  },
  "Approvals": {
    "$ref": "#/components/schemas/Part_ApprovalRecord"
  },
  "ApprovalStatistics": {
    "$ref": "#/components/schemas/ApprovalStats"
  },
  "Grant": {
    "$ref": "#/components/schemas/GrantRecord"
  },
  "Grants": {
    "$ref": "#/components/schemas/Part_GrantRecord"
  },
  "Inbox": {
    "$ref": "#/components/schemas/Waiting"
  },
  "Documents": {
    "$ref": "#/components/schemas/Part_StoredComponent"
  },
  "Document": {
    "$ref": "#/components/schemas/DocumentPage"
  },
  "Workflow": {
    "$ref": "#/components/schemas/WorkflowPage"
  },
  "Uses": {
    "$ref": "#/components/schemas/UsesOfComponent"
  },
  "Studies": {
    "$ref": "#/components/schemas/Part_ListedStudy"
  },
  "Study": {
    "$ref": "#/components/schemas/StudyPage"
  },
  "Found": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/SearchHit"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      },
      "is_complete": {
        "type": "boolean",
        "description": "Whether every ended attempt is indexed; the latest ones may be missing otherwise."
      }
    },
    "required": [
      "is_complete",
      "next",
      "rows"
    ],
    "additionalProperties": false,
    "description": "Texts that were found: prompts last, the latest attempts first, and of one attempt those that fit best."
  },
  "Checked": {
    "type": "object",
    "properties": {
      "ok": {
        "type": "boolean"
      },
      "findings": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "file": {
              "type": "string"
            },
            "line": {
              "type": "number"
            },
            "column": {
              "type": "number"
            },
            "pointer": {
              "type": "string"
            },
            "code": {
              "type": "string",
              "description": "One of docs/problems.md."
            },
            "message": {
              "type": "string"
            },
            "repair": {
              "type": "string"
            },
            "severity": {
              "type": "string",
              "enum": [
                "error",
                "note"
              ]
            }
          },
          "required": [
            "code",
            "column",
            "file",
            "line",
            "message",
            "pointer",
            "repair",
            "severity"
          ],
          "additionalProperties": false,
          "description": "A finding as programs are told it."
        }
      }
    },
    "required": [
      "ok",
      "findings"
    ],
    "additionalProperties": false
  },
  "Stored": {
    "type": "object",
    "properties": {
      "stored": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PutDocument"
        }
      },
      "new_count": {
        "type": "number"
      },
      "findings": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "file": {
              "type": "string"
            },
            "line": {
              "type": "number"
            },
            "column": {
              "type": "number"
            },
            "pointer": {
              "type": "string"
            },
            "code": {
              "type": "string",
              "description": "One of docs/problems.md."
            },
            "message": {
              "type": "string"
            },
            "repair": {
              "type": "string"
            },
            "severity": {
              "type": "string",
              "enum": [
                "error",
                "note"
              ]
            }
          },
          "required": [
            "code",
            "column",
            "file",
            "line",
            "message",
            "pointer",
            "repair",
            "severity"
          ],
          "additionalProperties": false,
          "description": "A finding as programs are told it."
        }
      }
    },
    "required": [
      "stored",
      "new_count",
      "findings"
    ],
    "additionalProperties": false
  },
  "DescribedKind": {
    "type": "object",
    "properties": {
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "schema": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/JsonObject"
          },
          {
            "type": "null"
          }
        ],
        "description": "Its JSON Schema; null for schemas themselves, which are JSON Schema 2020-12."
      },
      "example": {
        "$ref": "#/components/schemas/SentDocument"
      },
      "common_mistakes": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "code": {
              "type": "string"
            },
            "message": {
              "type": "string"
            },
            "repair": {
              "type": "string"
            }
          },
          "required": [
            "code",
            "message",
            "repair"
          ],
          "additionalProperties": false
        },
        "description": "The most frequent mistakes: the message of each, and its repair."
      }
    },
    "required": [
      "kind",
      "schema",
      "example",
      "common_mistakes"
    ],
    "additionalProperties": false,
    "description": "What an author of one kind of document needs to know."
  },
  "Plugins": {
    "type": "object",
    "properties": {
      "plugins": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedPlugin"
        }
      }
    },
    "required": [
      "plugins"
    ],
    "additionalProperties": false
  },
  "DescribedPlugin": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "description": {
        "type": "string"
      },
      "speaks": {
        "type": "string",
        "enum": [
          "json",
          "chat"
        ]
      },
      "version": {
        "type": "string"
      },
      "interface_schema": {
        "$ref": "#/components/schemas/JsonObject",
        "description": "Of a source's `interface`."
      },
      "unconfirmed": {
        "type": [
          "string",
          "null"
        ],
        "description": "Why its code may not run yet; null where it may."
      }
    },
    "required": [
      "description",
      "interface_schema",
      "name",
      "speaks",
      "unconfirmed",
      "version"
    ],
    "additionalProperties": false,
    "description": "What an author of a source needs to know of its plugin."
  },
  "NewDocuments": {
    "type": "object",
    "properties": {
      "documents": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/SentDocument"
        }
      }
    },
    "required": [
      "documents"
    ],
    "additionalProperties": false
  },
  "CreatedWorld": {
    "$ref": "#/components/schemas/WorldSnapshot"
  },
  "EntityHistory": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "entity_id": {
        "type": "string"
      },
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/EffectOrigin"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "entity_id",
      "next",
      "rows",
      "world_slug"
    ]
  },
  "QueueReport": {
    "type": "object",
    "properties": {
      "world": {
        "type": "string"
      },
      "queued": {
        "type": "number"
      },
      "inbox_ids": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "The messages, in queue order."
      },
      "waiting": {
        "type": "number",
        "description": "The length of the world's queue, with these turns."
      }
    },
    "required": [
      "world",
      "queued",
      "inbox_ids",
      "waiting"
    ],
    "additionalProperties": false,
    "description": "Turns that have been queued."
  },
  "WorldSnapshot": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "environments": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "label": {
              "type": "string"
            },
            "content": {
              "type": "string"
            },
            "origins": {
              "$ref": "#/components/schemas/Origins",
              "description": "Left out where the scenario wrote it."
            }
          },
          "required": [
            "content",
            "label"
          ]
        }
      },
      "entities": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Entity"
        }
      },
      "world_slug": {
        "type": "string"
      },
      "scenario_hash": {
        "type": "string"
      },
      "scenario_label": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest committed turn."
      },
      "simulation_time": {
        "type": "string"
      },
      "created_at": {
        "type": "string"
      },
      "forked_from": {
        "type": "object",
        "properties": {
          "world_slug": {
            "type": "string"
          },
          "turn": {
            "type": "number"
          }
        },
        "required": [
          "world_slug",
          "turn"
        ],
        "additionalProperties": false,
        "description": "The world that it was forked from, and the turn."
      }
    },
    "required": [
      "created_at",
      "entities",
      "environments",
      "scenario_hash",
      "scenario_label",
      "simulation_time",
      "turn",
      "world_slug"
    ]
  },
  "Origins": {
    "type": "array",
    "items": {
      "$ref": "#/components/schemas/Origin"
    },
    "description": "Everything that a value may come from: each origin once, in their order."
  },
  "Origin": {
    "type": "string",
    "description": "Where a value comes from. `world`: some patch wrote it, and its other origins are those of the patch. `source:<label>`: a service answered with it."
  },
  "Entity": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string"
      },
      "name": {
        "type": "string"
      },
      "kind": {
        "type": "string",
        "enum": [
          "agent",
          "prop"
        ]
      },
      "environment": {
        "type": "string"
      },
      "goal": {
        "type": "string"
      },
      "state": {
        "type": "string"
      },
      "origins": {
        "$ref": "#/components/schemas/Origins",
        "description": "Of its state; left out where the scenario wrote it."
      },
      "memory": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Memory"
        },
        "description": "Its memories, oldest first, and their turns; 0 for those of the scenario."
      }
    },
    "required": [
      "id",
      "name",
      "kind",
      "state",
      "memory"
    ],
    "additionalProperties": false
  },
  "Memory": {
    "type": "object",
    "properties": {
      "memory_id": {
        "type": "string",
        "description": "Its turn, and its number among the memories that the agent has of that turn: `3.2`. Left out where no store has it."
      },
      "content": {
        "type": "string"
      },
      "turn": {
        "type": "number"
      },
      "origins": {
        "$ref": "#/components/schemas/Origins"
      },
      "sources": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Of a memory that an author has a node write: the ids of the memories that the node was shown. Records have it, and no turn reads it."
      }
    },
    "required": [
      "content",
      "turn"
    ],
    "additionalProperties": false
  },
  "Deleted": {
    "type": "object",
    "properties": {
      "world": {
        "type": "string"
      },
      "rows": {
        "type": "number"
      }
    },
    "required": [
      "world",
      "rows"
    ],
    "additionalProperties": false,
    "description": "The deleted world and its number of rows."
  },
  "EditedWorld": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "turn": {
        "type": "number"
      },
      "attempt_id": {
        "type": "string"
      }
    },
    "required": [
      "world_slug",
      "turn",
      "attempt_id"
    ],
    "additionalProperties": false,
    "description": "The turn that a patch of a person has become."
  },
  "SettledCall": {
    "type": "object",
    "properties": {
      "world": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "source_invocation_id": {
        "type": "string"
      },
      "command_key": {
        "type": "string"
      },
      "performed": {
        "type": "boolean"
      },
      "left_in_doubt": {
        "type": "number",
        "description": "Of the same attempt."
      }
    },
    "required": [
      "world",
      "attempt_id",
      "source_invocation_id",
      "command_key",
      "performed",
      "left_in_doubt"
    ],
    "additionalProperties": false
  },
  "GrantRecord": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "tool_name": {
        "type": "string"
      },
      "uses": {
        "type": "number"
      },
      "granted_by": {
        "type": "string"
      },
      "reason": {
        "type": [
          "string",
          "null"
        ]
      },
      "grant_id": {
        "type": "string"
      },
      "arguments": {
        "$ref": "#/components/schemas/JsonObject",
        "description": "Pointers into the arguments, and the values that must stand there."
      },
      "status": {
        "type": "string",
        "enum": [
          "usable",
          "used_up",
          "expired",
          "revoked"
        ],
        "description": "Whether it still approves calls, or why not."
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "uses_left": {
        "type": "number"
      },
      "granted_at": {
        "type": "string"
      },
      "deadline": {
        "type": "string"
      },
      "revoked_at": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "arguments",
      "deadline",
      "grant_id",
      "granted_at",
      "granted_by",
      "reason",
      "revoked_at",
      "status",
      "tool_name",
      "uses",
      "uses_left",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A grant, as people read it."
  },
  "JsonObject": {
    "type": "object",
    "additionalProperties": {
      "$ref": "#/components/schemas/Json"
    },
    "description": "A JSON object, read-only."
  },
  "StirringWorld": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew."
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "is_in_doubt": {
        "type": "boolean"
      },
      "last_at": {
        "type": "string",
        "description": "When it ended, or began where it has not."
      },
      "state": {
        "type": "string"
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "failure_class",
      "is_driven",
      "is_in_doubt",
      "last_at",
      "state",
      "status",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A world in which an attempt is under way, waits for somebody, or came to no good end."
  },
  "AttemptStatus": {
    "type": "string",
    "enum": [
      "running",
      "suspended",
      "committed",
      "failed",
      "interrupted"
    ]
  },
  "Part_ListedWorld": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedWorld"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ListedWorld": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "is_readable": {
        "type": "boolean"
      },
      "state": {
        "type": "string"
      },
      "newest": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/WorldActivity"
          },
          {
            "type": "null"
          }
        ]
      },
      "queued_turns": {
        "type": "number"
      },
      "put_off": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string"
              },
              "until": {
                "type": "string"
              }
            },
            "required": [
              "reason",
              "until"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Why the first one is deferred, and until when (RFC 3339)."
      },
      "world_slug": {
        "type": "string"
      },
      "scenario_hash": {
        "type": "string"
      },
      "scenario_label": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest committed turn."
      },
      "simulation_time": {
        "type": "string"
      },
      "created_at": {
        "type": "string"
      },
      "forked_from": {
        "type": "object",
        "properties": {
          "world_slug": {
            "type": "string"
          },
          "turn": {
            "type": "number"
          }
        },
        "required": [
          "world_slug",
          "turn"
        ],
        "additionalProperties": false,
        "description": "The world that it was forked from, and the turn."
      }
    },
    "required": [
      "created_at",
      "is_readable",
      "newest",
      "put_off",
      "queued_turns",
      "scenario_hash",
      "scenario_label",
      "simulation_time",
      "state",
      "turn",
      "world_slug"
    ]
  },
  "WorldActivity": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew."
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "is_in_doubt": {
        "type": "boolean"
      },
      "last_at": {
        "type": "string",
        "description": "When it ended, or began where it has not."
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "failure_class",
      "is_driven",
      "is_in_doubt",
      "last_at",
      "status",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "The newest attempt of a world, and whether a call of the world is in doubt."
  },
  "LatestTurn": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "story": {
        "$ref": "#/components/schemas/TurnStory",
        "description": "With its first 3 patches."
      }
    },
    "required": [
      "world_slug",
      "story"
    ],
    "additionalProperties": false,
    "description": "The latest turn of a world in which a model was asked lately."
  },
  "TurnStory": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "simulation_time": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "patches": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PatchStory"
        }
      }
    },
    "required": [
      "turn",
      "simulation_time",
      "attempt_id",
      "patches"
    ],
    "additionalProperties": false
  },
  "PatchStory": {
    "type": "object",
    "properties": {
      "patch_seq": {
        "type": "number"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "narration": {
        "type": "string"
      },
      "touched_entities": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null for a patch without a model."
      },
      "origins": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Origins"
          },
          {
            "type": "null"
          }
        ],
        "description": "Everything that its generation saw; null of patches of earlier versions."
      },
      "turn": {
        "type": "number"
      },
      "simulation_time": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "effects": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/EffectOrigin"
        }
      }
    },
    "required": [
      "attempt_id",
      "effects",
      "llm_call_id",
      "narration",
      "origins",
      "patch_seq",
      "simulation_time",
      "touched_entities",
      "turn",
      "workflow_subject_entity_id"
    ],
    "additionalProperties": false,
    "description": "A patch with the values before and after it."
  },
  "EffectOrigin": {
    "type": "object",
    "properties": {
      "patch_seq": {
        "type": "number"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": "string"
      },
      "narration": {
        "type": "string"
      },
      "source_invocation_id": {
        "type": "string",
        "description": "The call whose answer it is, and the generation where it was one."
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null for a patch without a model."
      },
      "origins": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Origins"
          },
          {
            "type": "null"
          }
        ],
        "description": "Everything that its generation saw; null of patches of earlier versions."
      },
      "effect_index": {
        "type": "number"
      },
      "op": {
        "$ref": "#/components/schemas/EffectOperation"
      },
      "entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "environment_label": {
        "type": [
          "string",
          "null"
        ]
      },
      "state_before": {
        "type": [
          "string",
          "null"
        ]
      },
      "state_after": {
        "type": "string"
      },
      "sources": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Of a memory that an author has a node write: the ids of the memories that the node was shown; null of any other effect."
      },
      "world_slug": {
        "type": "string",
        "description": "The world that ran the turn: of a fork's shared history, an ancestor."
      },
      "turn": {
        "type": "number"
      },
      "cognition_workflow_hash": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      }
    },
    "required": [
      "attempt_id",
      "cognition_workflow_hash",
      "effect_index",
      "entity_id",
      "environment_label",
      "llm_call_id",
      "narration",
      "op",
      "origins",
      "patch_seq",
      "source_invocation_id",
      "sources",
      "state_after",
      "state_before",
      "turn",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An effect of a committed patch with its origin."
  },
  "EffectOperation": {
    "type": "string",
    "enum": [
      "set_entity_state",
      "append_entity_memory",
      "set_environment_content"
    ]
  },
  "KindCount": {
    "type": "object",
    "properties": {
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "count": {
        "type": "number"
      }
    },
    "required": [
      "kind",
      "count"
    ],
    "additionalProperties": false
  },
  "ComponentKind": {
    "type": "string",
    "enum": [
      "json_schema",
      "prompt_text",
      "response_source",
      "cognition_workflow",
      "cognition_profile",
      "tool_policy",
      "scenario"
    ]
  },
  "ListedMessage": {
    "type": "object",
    "properties": {
      "inbox_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "message_type": {
        "type": "string"
      },
      "status": {
        "type": "string"
      },
      "attempt_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "retry_count": {
        "type": "number"
      },
      "next_retry_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "defer_reason": {
        "type": [
          "string",
          "null"
        ]
      },
      "created_at": {
        "type": "string"
      }
    },
    "required": [
      "inbox_id",
      "world_slug",
      "message_type",
      "status",
      "attempt_id",
      "retry_count",
      "next_retry_at",
      "defer_reason",
      "created_at"
    ],
    "additionalProperties": false,
    "description": "An open message of the inbox."
  },
  "WorldPage": {
    "type": "object",
    "properties": {
      "offered_scenarios": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StoredComponent"
        }
      },
      "scenarios": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "from_turn": {
              "type": "number",
              "description": "The first turn with it, unless another one follows before."
            },
            "scenario_hash": {
              "type": "string"
            },
            "scenario_label": {
              "type": "string"
            },
            "chosen_at": {
              "type": "string"
            }
          },
          "required": [
            "from_turn",
            "scenario_hash",
            "scenario_label",
            "chosen_at"
          ],
          "additionalProperties": false
        }
      },
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "queued_turns": {
        "type": "number"
      },
      "put_off": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string"
              },
              "until": {
                "type": "string"
              }
            },
            "required": [
              "reason",
              "until"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Why the first one is deferred, and until when (RFC 3339)."
      },
      "environments": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "label": {
              "type": "string"
            },
            "content": {
              "type": "string"
            },
            "origins": {
              "$ref": "#/components/schemas/Origins",
              "description": "Left out where the scenario wrote it."
            }
          },
          "required": [
            "content",
            "label"
          ]
        }
      },
      "entities": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Entity"
        }
      },
      "world_slug": {
        "type": "string"
      },
      "scenario_hash": {
        "type": "string"
      },
      "scenario_label": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest committed turn."
      },
      "simulation_time": {
        "type": "string"
      },
      "created_at": {
        "type": "string"
      },
      "forked_from": {
        "type": "object",
        "properties": {
          "world_slug": {
            "type": "string"
          },
          "turn": {
            "type": "number"
          }
        },
        "required": [
          "world_slug",
          "turn"
        ],
        "additionalProperties": false,
        "description": "The world that it was forked from, and the turn."
      },
      "agents": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AgentHeadRecord"
        }
      },
      "story": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/TurnStory"
        },
        "description": "The latest turn first; at most 10 of them."
      },
      "last_turn": {
        "type": "number",
        "description": "The latest turn of the world; `turn` is the one whose state and story are shown."
      },
      "earlier": {
        "type": [
          "number",
          "null"
        ],
        "description": "The latest turn before those that are shown; null where all are."
      },
      "later": {
        "type": [
          "number",
          "null"
        ],
        "description": "The last of the turns after those that are shown; null where there are none."
      },
      "readings": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WorldReading"
        },
        "description": "At most 500, of the latest turns."
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/CostedAttempt"
        },
        "description": "The latest first; at most 20 of them."
      },
      "family": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WorldRecord"
        },
        "description": "The worlds that share turns with it, itself among them; at most 50 of them."
      },
      "operator_actions": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/OperatorActionRecord"
        }
      }
    },
    "required": [
      "agents",
      "attempts",
      "cost",
      "created_at",
      "earlier",
      "entities",
      "environments",
      "family",
      "last_turn",
      "later",
      "offered_scenarios",
      "operator_actions",
      "put_off",
      "queued_turns",
      "readings",
      "scenario_hash",
      "scenario_label",
      "scenarios",
      "simulation_time",
      "story",
      "turn",
      "world_slug"
    ],
    "additionalProperties": false
  },
  "StoredComponent": {
    "type": "object",
    "properties": {
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string",
        "description": "SHA-256 of the canonical form, 64 hex digits."
      },
      "label": {
        "type": [
          "string",
          "null"
        ],
        "description": "Its `label`, or a schema's `title` or `$id`."
      },
      "created_at": {
        "type": "string"
      }
    },
    "required": [
      "created_at",
      "hash",
      "kind",
      "label"
    ],
    "additionalProperties": false,
    "description": "A stored document in a list of its kind."
  },
  "Cost": {
    "type": "object",
    "properties": {
      "calls": {
        "type": "number"
      },
      "input_tokens": {
        "type": "number"
      },
      "cached_input_tokens": {
        "type": "number",
        "description": "Of the input."
      },
      "cache_written_input_tokens": {
        "type": "number",
        "description": "Of the input."
      },
      "output_tokens": {
        "type": "number"
      },
      "reasoning_tokens": {
        "type": "number",
        "description": "Of the output."
      },
      "usd": {
        "type": [
          "number",
          "null"
        ],
        "description": "US dollars of the calls that are priced; null where none of them is."
      },
      "unpriced_calls": {
        "type": "number",
        "description": "Calls with counts, and no known price."
      },
      "estimated_calls": {
        "type": "number",
        "description": "Calls whose tokens are estimated."
      },
      "uncounted_calls": {
        "type": "number",
        "description": "Calls that have ended without counts that can be believed."
      }
    },
    "required": [
      "calls",
      "input_tokens",
      "cached_input_tokens",
      "cache_written_input_tokens",
      "output_tokens",
      "reasoning_tokens",
      "usd",
      "unpriced_calls",
      "estimated_calls",
      "uncounted_calls"
    ],
    "additionalProperties": false,
    "description": "What calls have used and cost. A call that was adopted is counted where it was made, and nowhere again."
  },
  "AgentHeadRecord": {
    "type": "object",
    "properties": {
      "agent_id": {
        "type": "string"
      },
      "status": {
        "type": "string",
        "enum": [
          "idle",
          "dispatched",
          "running",
          "suspended"
        ]
      },
      "turn_epoch": {
        "type": "number",
        "description": "Raised by each turn that it is given, in a failed attempt too, and by each take-over of one."
      },
      "active_agent_turn_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "activity": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "thinking",
          "executing_tool",
          "awaiting_tool_result",
          null
        ]
      },
      "current_tool": {
        "type": [
          "string",
          "null"
        ]
      },
      "waiting_tool_count": {
        "type": "number"
      },
      "resume_deadline": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "agent_id",
      "status",
      "turn_epoch",
      "active_agent_turn_id",
      "activity",
      "current_tool",
      "waiting_tool_count",
      "resume_deadline"
    ],
    "additionalProperties": false,
    "description": "An agent's state head."
  },
  "WorldReading": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "ambient_source_id": {
        "type": "string"
      },
      "source_invocation_id": {
        "type": "string"
      },
      "response_json": {
        "$ref": "#/components/schemas/Json"
      }
    },
    "required": [
      "turn",
      "ambient_source_id",
      "source_invocation_id",
      "response_json"
    ],
    "additionalProperties": false,
    "description": "A reading of an ambient source in a committed turn, redacted."
  },
  "CostedAttempt": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_count": {
        "type": "number",
        "description": "Calls that it made itself, without adopted ones."
      },
      "calls_in_doubt": {
        "type": "number",
        "description": "Calls that have to be settled before a turn begins."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew."
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "calls_in_doubt",
      "cost",
      "ended_at",
      "failed_node_id",
      "failed_source_invocation_id",
      "failed_subject_entity_id",
      "failure_class",
      "failure_message",
      "is_driven",
      "source_invocation_count",
      "started_at",
      "status",
      "world_slug"
    ],
    "description": "An attempt in a list."
  },
  "WorldRecord": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "scenario_hash": {
        "type": "string"
      },
      "scenario_label": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest committed turn."
      },
      "simulation_time": {
        "type": "string"
      },
      "created_at": {
        "type": "string"
      },
      "forked_from": {
        "type": "object",
        "properties": {
          "world_slug": {
            "type": "string"
          },
          "turn": {
            "type": "number"
          }
        },
        "required": [
          "world_slug",
          "turn"
        ],
        "additionalProperties": false,
        "description": "The world that it was forked from, and the turn."
      }
    },
    "required": [
      "world_slug",
      "scenario_hash",
      "scenario_label",
      "turn",
      "simulation_time",
      "created_at"
    ],
    "additionalProperties": false
  },
  "OperatorActionRecord": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "action_id": {
        "type": "string"
      },
      "action": {
        "type": "string",
        "description": "The kind of its declaration, or `see_unredacted`."
      },
      "acted_by": {
        "type": "string",
        "description": "The user of the machine, the session, or the token: operators share one token."
      },
      "surface": {
        "$ref": "#/components/schemas/ActionSurface"
      },
      "reason": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null where a program gave none."
      },
      "details": {
        "$ref": "#/components/schemas/JsonObject"
      },
      "acted_at": {
        "type": "string"
      },
      "accepted": {
        "type": [
          "boolean",
          "null"
        ],
        "description": "Whether it had an effect; null where the server died before it knew."
      },
      "outcome": {
        "type": [
          "string",
          "null"
        ],
        "description": "Its outcome, in a sentence."
      }
    },
    "required": [
      "accepted",
      "acted_at",
      "acted_by",
      "action",
      "action_id",
      "attempt_id",
      "details",
      "outcome",
      "reason",
      "source_invocation_id",
      "surface",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An audit entry: actor, action, time and reason."
  },
  "ActionSurface": {
    "type": "string",
    "enum": [
      "command_line",
      "http",
      "browser",
      "library",
      "mcp"
    ]
  },
  "TurnPage": {
    "type": "object",
    "properties": {
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "offered_scenarios": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StoredComponent"
        }
      },
      "environments": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "label": {
              "type": "string"
            },
            "content": {
              "type": "string"
            },
            "origins": {
              "$ref": "#/components/schemas/Origins",
              "description": "Left out where the scenario wrote it."
            }
          },
          "required": [
            "content",
            "label"
          ]
        }
      },
      "entities": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Entity"
        }
      },
      "world_slug": {
        "type": "string"
      },
      "scenario_hash": {
        "type": "string"
      },
      "scenario_label": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest committed turn."
      },
      "simulation_time": {
        "type": "string"
      },
      "created_at": {
        "type": "string"
      },
      "forked_from": {
        "type": "object",
        "properties": {
          "world_slug": {
            "type": "string"
          },
          "turn": {
            "type": "number"
          }
        },
        "required": [
          "world_slug",
          "turn"
        ],
        "additionalProperties": false,
        "description": "The world that it was forked from, and the turn."
      },
      "last_turn": {
        "type": "number"
      },
      "story": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/TurnStory"
          },
          {
            "type": "null"
          }
        ]
      },
      "readings": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WorldReading"
        }
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/CostedAttempt"
        }
      }
    },
    "required": [
      "attempts",
      "cost",
      "created_at",
      "entities",
      "environments",
      "last_turn",
      "offered_scenarios",
      "readings",
      "scenario_hash",
      "scenario_label",
      "simulation_time",
      "story",
      "turn",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "Its cost is that of all attempts at it."
  },
  "Part_PatchStory": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PatchStory"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "Part_Entity": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Entity"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "Part_EffectOrigin": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/EffectOrigin"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "LearntText": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "agent_id": {
        "type": "string"
      },
      "shown": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/ShownText"
          },
          {
            "type": "null"
          }
        ],
        "description": "Null where it was not shown the text before it said it."
      },
      "came_by": {
        "$ref": "#/components/schemas/CameBy"
      }
    },
    "required": [
      "turn",
      "agent_id",
      "shown",
      "came_by"
    ],
    "additionalProperties": false,
    "description": "The first time that an agent was shown a text, or said it without that."
  },
  "ShownText": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "invocation_seq": {
        "type": "number"
      },
      "agent_id": {
        "type": "string"
      },
      "llm_call_id": {
        "type": "string"
      },
      "origin": {
        "$ref": "#/components/schemas/SegmentOrigin"
      },
      "segment": {
        "type": "string",
        "description": "The whole segment."
      }
    },
    "required": [
      "agent_id",
      "invocation_seq",
      "llm_call_id",
      "origin",
      "segment",
      "turn"
    ],
    "additionalProperties": false,
    "description": "A segment of a prompt that holds a text."
  },
  "SegmentOrigin": {
    "type": "string",
    "enum": [
      "author",
      "world",
      "world.projection",
      "world.recent_events",
      "subject",
      "subject.rendered",
      "subject.own_turns",
      "memory.pinned",
      "memory.retrieved",
      "ambient.visible",
      "tools.available",
      "nodes",
      "schema",
      "model",
      "tool_result",
      "correction",
      "last_lap",
      "reasoning",
      "function_call",
      "call_id"
    ],
    "description": "What put a piece into a prompt."
  },
  "CameBy": {
    "anyOf": [
      {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "const": "patch"
          },
          "patch": {
            "$ref": "#/components/schemas/WrittenText"
          }
        },
        "required": [
          "kind",
          "patch"
        ],
        "additionalProperties": false
      },
      {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "const": "answer"
          },
          "answer": {
            "$ref": "#/components/schemas/AnsweredText"
          }
        },
        "required": [
          "kind",
          "answer"
        ],
        "additionalProperties": false
      },
      {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "author",
              "scenario"
            ]
          }
        },
        "required": [
          "kind"
        ],
        "additionalProperties": false
      },
      {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "const": "own_words"
          }
        },
        "required": [
          "kind"
        ],
        "additionalProperties": false
      }
    ],
    "description": "How a text came to an agent."
  },
  "WrittenText": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "invocation_seq": {
        "type": "number"
      },
      "patch_seq": {
        "type": "number"
      },
      "agent_id": {
        "type": "string"
      },
      "op": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/EffectOperation"
          },
          {
            "type": "string",
            "const": "narration"
          }
        ]
      },
      "target": {
        "type": "string",
        "description": "What the effect changed; of a narration, its agent."
      },
      "sources": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Of a memory that an author has a node write: the ids of the memories that the node was shown."
      }
    },
    "required": [
      "agent_id",
      "invocation_seq",
      "op",
      "patch_seq",
      "target",
      "turn"
    ],
    "additionalProperties": false,
    "description": "A narration or an effect that holds it; the moment is that of the generation that gave the patch."
  },
  "AnsweredText": {
    "type": "object",
    "properties": {
      "turn": {
        "type": "number"
      },
      "invocation_seq": {
        "type": "number"
      },
      "agent_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null where the answer was for all subjects of the turn."
      },
      "source_invocation_id": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      }
    },
    "required": [
      "agent_id",
      "invocation_seq",
      "source_invocation_id",
      "source_label",
      "turn"
    ],
    "additionalProperties": false,
    "description": "An answer of a source that holds it."
  },
  "WorldDiff": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string",
        "description": "That of `from`."
      },
      "from": {
        "$ref": "#/components/schemas/TurnPlace"
      },
      "to": {
        "$ref": "#/components/schemas/TurnPlace"
      },
      "changes": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/DiffedChange"
        }
      }
    },
    "required": [
      "world_slug",
      "from",
      "to",
      "changes"
    ],
    "additionalProperties": false
  },
  "TurnPlace": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "turn": {
        "type": "number"
      },
      "simulation_time": {
        "type": "string"
      }
    },
    "required": [
      "world_slug",
      "turn",
      "simulation_time"
    ],
    "additionalProperties": false,
    "description": "A turn of a world, with its time inside the world."
  },
  "DiffedChange": {
    "anyOf": [
      {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "blame": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/EffectOrigin"
            }
          },
          "kind": {
            "type": "string",
            "const": "environment_content"
          },
          "environment_label": {
            "type": "string"
          },
          "before": {
            "type": [
              "string",
              "null"
            ],
            "description": "Null where that world has no such environment, entity or memory."
          },
          "after": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "after",
          "before",
          "environment_label",
          "kind"
        ]
      },
      {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "blame": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/EffectOrigin"
            }
          },
          "kind": {
            "type": "string",
            "const": "entity_state"
          },
          "entity_id": {
            "type": "string"
          },
          "before": {
            "type": [
              "string",
              "null"
            ],
            "description": "Null where that world has no such environment, entity or memory."
          },
          "after": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "after",
          "before",
          "entity_id",
          "kind"
        ]
      },
      {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "blame": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/EffectOrigin"
            }
          },
          "kind": {
            "type": "string",
            "const": "entity_memory"
          },
          "entity_id": {
            "type": "string"
          },
          "turn": {
            "type": "number",
            "description": "The turn that it was made in."
          },
          "before": {
            "type": [
              "string",
              "null"
            ],
            "description": "Null where that world has no such environment, entity or memory."
          },
          "after": {
            "type": [
              "string",
              "null"
            ]
          }
        },
        "required": [
          "after",
          "before",
          "entity_id",
          "kind",
          "turn"
        ]
      }
    ],
    "description": "A change, and on request the effects behind it; of two worlds, those of `from` before those of `to`."
  },
  "GroupedCosts": {
    "type": "object",
    "properties": {
      "by": {
        "$ref": "#/components/schemas/CostGroup"
      },
      "rows": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "calls": {
              "type": "number"
            },
            "input_tokens": {
              "type": "number"
            },
            "cached_input_tokens": {
              "type": "number",
              "description": "Of the input."
            },
            "cache_written_input_tokens": {
              "type": "number",
              "description": "Of the input."
            },
            "output_tokens": {
              "type": "number"
            },
            "reasoning_tokens": {
              "type": "number",
              "description": "Of the output."
            },
            "usd": {
              "type": [
                "number",
                "null"
              ],
              "description": "US dollars of the calls that are priced; null where none of them is."
            },
            "unpriced_calls": {
              "type": "number",
              "description": "Calls with counts, and no known price."
            },
            "estimated_calls": {
              "type": "number",
              "description": "Calls whose tokens are estimated."
            },
            "uncounted_calls": {
              "type": "number",
              "description": "Calls that have ended without counts that can be believed."
            },
            "of": {
              "type": "string"
            }
          },
          "required": [
            "cache_written_input_tokens",
            "cached_input_tokens",
            "calls",
            "estimated_calls",
            "input_tokens",
            "of",
            "output_tokens",
            "reasoning_tokens",
            "uncounted_calls",
            "unpriced_calls",
            "usd"
          ]
        },
        "description": "Turns in order; else the most tokens first."
      }
    },
    "required": [
      "by",
      "rows"
    ],
    "additionalProperties": false,
    "description": "Costs added up by something."
  },
  "CostGroup": {
    "type": "string",
    "enum": [
      "turn",
      "subject",
      "node",
      "model",
      "standing"
    ]
  },
  "PromptParts": {
    "type": "object",
    "properties": {
      "parts": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "origin": {
              "type": "string"
            },
            "tokens": {
              "type": "number"
            }
          },
          "required": [
            "origin",
            "tokens"
          ],
          "additionalProperties": false
        },
        "description": "The most tokens first."
      },
      "counted_tokens": {
        "type": "number"
      },
      "counted_by": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "tokenizer": {
              "type": "string"
            },
            "is_estimate": {
              "type": "boolean"
            },
            "calls": {
              "type": "number"
            }
          },
          "required": [
            "tokenizer",
            "is_estimate",
            "calls"
          ],
          "additionalProperties": false
        },
        "description": "How the prompts were counted. An estimate stands in for a tokenizer that is not known."
      }
    },
    "required": [
      "parts",
      "counted_tokens",
      "counted_by"
    ],
    "additionalProperties": false,
    "description": "What filled prompts, in tokens."
  },
  "Decision": {
    "type": "string",
    "enum": [
      "allow",
      "deny",
      "require_approval"
    ],
    "description": "require_approval allows the call once a person has approved it."
  },
  "EffectClass": {
    "type": "string",
    "enum": [
      "read_only",
      "state_change",
      "external_side_effect"
    ],
    "description": "The effect of a call on the outside. After a crash, a call that is not read_only is repeated only if its binding is repeatable."
  },
  "ExplainedRule": {
    "type": "object",
    "properties": {
      "rule": {
        "type": "string",
        "description": "The pointer of the rule in its policy."
      },
      "decide": {
        "$ref": "#/components/schemas/Decision"
      },
      "because": {
        "type": "string"
      },
      "matches": {
        "type": [
          "boolean",
          "null"
        ],
        "description": "Null where it depends on arguments that nobody has given."
      }
    },
    "required": [
      "rule",
      "decide",
      "because",
      "matches"
    ],
    "additionalProperties": false,
    "description": "One rule that is for a call."
  },
  "StatusCount": {
    "type": "object",
    "properties": {
      "status": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/AttemptStatus"
          },
          {
            "$ref": "#/components/schemas/InvocationStatus"
          }
        ]
      },
      "count": {
        "type": "number"
      }
    },
    "required": [
      "status",
      "count"
    ],
    "additionalProperties": false,
    "description": "How many of the latest rows have each status."
  },
  "InvocationStatus": {
    "type": "string",
    "enum": [
      "running",
      "pending",
      "succeeded",
      "failed",
      "interrupted"
    ]
  },
  "AttemptPage": {
    "type": "object",
    "properties": {
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_count": {
        "type": "number",
        "description": "Calls that it made itself, without adopted ones."
      },
      "calls_in_doubt": {
        "type": "number",
        "description": "Calls that have to be settled before a turn begins."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew."
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "epoch": {
        "type": "number",
        "description": "Of its latest driver."
      },
      "take_overs": {
        "type": "number",
        "description": "How many drivers were lost, or broke."
      },
      "adopts": {
        "type": [
          "string",
          "null"
        ],
        "description": "The previous attempt, whose calls answer this one's commands."
      },
      "is_adoptable": {
        "type": "boolean",
        "description": "The next attempt adopts from this one, once none of its calls is in doubt."
      },
      "scenario_hash": {
        "type": "string"
      },
      "renderer_version": {
        "type": "string"
      },
      "source_trace_summary": {
        "$ref": "#/components/schemas/Json"
      },
      "superseded_call_count": {
        "type": "number",
        "description": "Superseded calls, whose subject's inputs were changed; adopted ones included."
      },
      "patches": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PatchRecord"
        }
      },
      "invocations": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/InvocationSummary"
        }
      },
      "awaited": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AwaitedCall"
        },
        "description": "The awaited calls, the nearest deadline first."
      },
      "approvals": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ApprovalRecord"
        },
        "description": "The calls for which a person was asked, in the order of the questions, at most 100; for operators."
      },
      "agent_turns": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AgentTurnSummary"
        },
        "description": "In the order in which they began."
      },
      "timeline": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/TimelineRecord"
        }
      },
      "audit": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AuditRecord"
        }
      },
      "operator_actions": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/OperatorActionRecord"
        }
      },
      "read_at": {
        "type": [
          "string",
          "null"
        ],
        "description": "When an open attempt was read; null once it has ended."
      },
      "calls_after": {
        "type": [
          "number",
          "null"
        ],
        "description": "The calls after the call of this number are shown; null for the first."
      },
      "more_calls_after": {
        "type": [
          "number",
          "null"
        ],
        "description": "The number of the last call that is shown, where there are more: the next part begins after it."
      },
      "unfinished": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/InvocationSummary"
        },
        "description": "The calls of the whole attempt that are open, have failed or are in doubt, the most urgent first; at most 100."
      },
      "has_more_unfinished": {
        "type": "boolean",
        "description": "Whether there are more of them: the list of calls has them all."
      },
      "has_more_audit": {
        "type": "boolean",
        "description": "Whether the audit has more entries: at most 500 are shown."
      },
      "attempt_before": {
        "type": [
          "string",
          "null"
        ],
        "description": "The latest attempt at the same turn that began before it; null where it is the first."
      }
    },
    "required": [
      "adopts",
      "agent_turns",
      "approvals",
      "attempt_before",
      "attempt_id",
      "attempted_turn",
      "audit",
      "awaited",
      "calls_after",
      "calls_in_doubt",
      "cost",
      "ended_at",
      "epoch",
      "failed_node_id",
      "failed_source_invocation_id",
      "failed_subject_entity_id",
      "failure_class",
      "failure_message",
      "has_more_audit",
      "has_more_unfinished",
      "invocations",
      "is_adoptable",
      "is_driven",
      "more_calls_after",
      "operator_actions",
      "patches",
      "read_at",
      "renderer_version",
      "scenario_hash",
      "source_invocation_count",
      "source_trace_summary",
      "started_at",
      "status",
      "superseded_call_count",
      "take_overs",
      "timeline",
      "unfinished",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An attempt as its page shows it: at most 500 of its calls, with their events."
  },
  "PatchRecord": {
    "type": "object",
    "properties": {
      "patch_seq": {
        "type": "number"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": "string"
      },
      "narration": {
        "type": "string"
      },
      "touched_entities": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "source_invocation_id": {
        "type": "string",
        "description": "The call whose answer it is, and the generation where it was one."
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null for a patch without a model."
      },
      "effects": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PatchEffectRecord"
        }
      },
      "origins": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Origins"
          },
          {
            "type": "null"
          }
        ],
        "description": "Everything that its generation saw; null of patches of earlier versions."
      }
    },
    "required": [
      "patch_seq",
      "workflow_subject_entity_id",
      "workflow_node_id",
      "narration",
      "touched_entities",
      "source_invocation_id",
      "llm_call_id",
      "effects",
      "origins"
    ],
    "additionalProperties": false
  },
  "PatchEffectRecord": {
    "type": "object",
    "properties": {
      "effect_index": {
        "type": "number"
      },
      "op": {
        "$ref": "#/components/schemas/EffectOperation"
      },
      "entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "environment_label": {
        "type": [
          "string",
          "null"
        ]
      },
      "state_before": {
        "type": [
          "string",
          "null"
        ]
      },
      "state_after": {
        "type": "string"
      },
      "sources": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Of a memory that an author has a node write: the ids of the memories that the node was shown; null of any other effect."
      }
    },
    "required": [
      "effect_index",
      "op",
      "entity_id",
      "environment_label",
      "state_before",
      "state_after",
      "sources"
    ],
    "additionalProperties": false
  },
  "InvocationSummary": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": "string"
      },
      "model_output_kind": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_detail": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "is_superseded": {
        "type": "boolean",
        "description": "Superseded: an earlier subject has changed what its subject had read."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds its attempt."
      },
      "duration_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "From the request to the end of the answer, as its plugin measured it; null until then."
      },
      "parent_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "invocation_seq": {
        "type": "number"
      },
      "invocation_kind": {
        "type": "string",
        "enum": [
          "llm_generation",
          "ambient_context",
          "model_elected_tool",
          "node_call",
          "quality_gate"
        ]
      },
      "command_key": {
        "type": "string"
      },
      "request_hash": {
        "type": "string",
        "description": "Calls of one command with the same hash had the same request."
      },
      "performance": {
        "type": "number",
        "description": "1-based: counts the performances of its command in its attempt."
      },
      "ambient_source_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "tool_name": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "tool_loop_round": {
        "type": [
          "number",
          "null"
        ]
      },
      "logical_generation_attempt": {
        "type": [
          "number",
          "null"
        ]
      },
      "effect_class": {
        "$ref": "#/components/schemas/EffectClass"
      },
      "repeatable": {
        "type": "boolean",
        "description": "It has a side effect, and may be repeated."
      },
      "outcome_unknown": {
        "type": "boolean",
        "description": "Its side effect is unknown, and it may not be repeated: it is in doubt until it is settled."
      },
      "adopted_from": {
        "type": [
          "string",
          "null"
        ],
        "description": "The attempt that made the call, where the shown attempt has adopted it."
      },
      "settled_as": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "performed",
          "not_performed",
          null
        ],
        "description": "The settlement of a call in doubt."
      },
      "http_status": {
        "type": [
          "number",
          "null"
        ]
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "response_json": {
        "$ref": "#/components/schemas/Json",
        "description": "Redacted."
      }
    },
    "required": [
      "adopted_from",
      "ambient_source_id",
      "command_key",
      "duration_ms",
      "effect_class",
      "failure_class",
      "failure_detail",
      "failure_message",
      "http_status",
      "invocation_kind",
      "invocation_seq",
      "is_driven",
      "is_superseded",
      "llm_call_id",
      "logical_generation_attempt",
      "model_output_kind",
      "outcome_unknown",
      "parent_source_invocation_id",
      "performance",
      "repeatable",
      "request_hash",
      "response_json",
      "settled_as",
      "source_invocation_id",
      "status",
      "tool_loop_round",
      "tool_name",
      "workflow_node_id",
      "workflow_subject_entity_id"
    ],
    "additionalProperties": false,
    "description": "The members of `run --json` and of lists."
  },
  "AwaitedCall": {
    "type": "object",
    "properties": {
      "correlation_alias": {
        "type": [
          "string",
          "null"
        ],
        "description": "The service's own id of the call."
      },
      "pended_at": {
        "type": "string",
        "description": "RFC 3339."
      },
      "deadline": {
        "type": "string"
      },
      "source_invocation_id": {
        "type": "string"
      },
      "command_key": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      }
    },
    "required": [
      "command_key",
      "correlation_alias",
      "deadline",
      "pended_at",
      "source_invocation_id",
      "source_label"
    ],
    "additionalProperties": false,
    "description": "A call that an attempt waits for, for people."
  },
  "ApprovalRecord": {
    "type": "object",
    "properties": {
      "approval_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "command_key": {
        "type": "string"
      },
      "status": {
        "$ref": "#/components/schemas/ApprovalStatus"
      },
      "tool_name": {
        "type": "string"
      },
      "source_hash": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      },
      "effect_class": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "request": {
        "$ref": "#/components/schemas/JsonObject"
      },
      "origins": {
        "anyOf": [
          {
            "type": "object",
            "additionalProperties": {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Where each argument comes from, by its pointer; null where no rule reads it."
      },
      "rule": {
        "type": "string",
        "description": "The pointer of the deciding rule in its policy, and its reason."
      },
      "because": {
        "type": "string"
      },
      "is_altered": {
        "type": "boolean",
        "description": "Whether its row was changed since a person was asked, or an earlier version asked: then it is not approved."
      },
      "asked_at": {
        "type": "string",
        "description": "RFC 3339."
      },
      "deadline": {
        "type": "string"
      },
      "decided_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "waited_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "Until the decision, or until it is read; null where it is void."
      },
      "left_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "From when it is read to the deadline; null unless it waits."
      },
      "decided_by": {
        "type": [
          "string",
          "null"
        ]
      },
      "grant_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The grant by which they had decided before."
      },
      "reason": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The call, once it was made."
      }
    },
    "required": [
      "approval_id",
      "world_slug",
      "attempt_id",
      "attempted_turn",
      "command_key",
      "status",
      "tool_name",
      "source_hash",
      "source_label",
      "effect_class",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "request",
      "origins",
      "rule",
      "because",
      "is_altered",
      "asked_at",
      "deadline",
      "decided_at",
      "waited_ms",
      "left_ms",
      "decided_by",
      "grant_id",
      "reason",
      "source_invocation_id"
    ],
    "additionalProperties": false,
    "description": "A call that waits for a person, or for which one has decided."
  },
  "ApprovalStatus": {
    "type": "string",
    "enum": [
      "waiting",
      "approved",
      "denied",
      "expired",
      "superseded"
    ],
    "description": "How a call stands that the policy leaves to a person. A decision is final. `superseded`: its attempt is over, or the call was asked for once more with something else in it, so that no decision has an effect any more."
  },
  "AgentTurnSummary": {
    "type": "object",
    "properties": {
      "agent_turn_id": {
        "type": "string"
      },
      "agent_id": {
        "type": "string"
      },
      "turn_epoch": {
        "type": "number"
      },
      "outcome": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "success",
          "failed",
          "stopped",
          "timed_out",
          null
        ],
        "description": "Null while it is open."
      },
      "state": {
        "type": "string",
        "description": "The turn's state in a word: its outcome, or another word of docs/terms.md."
      },
      "deliverable_card_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "began_at": {
        "type": "string"
      },
      "worked_until": {
        "type": [
          "string",
          "null"
        ],
        "description": "When the last of its own calls ended; null while it is at work. The turn itself ends with its attempt."
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "agent_turn_id",
      "agent_id",
      "turn_epoch",
      "outcome",
      "state",
      "deliverable_card_id",
      "began_at",
      "worked_until",
      "ended_at"
    ],
    "additionalProperties": false,
    "description": "An agent turn as a list shows it."
  },
  "TimelineRecord": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ]
      },
      "details": {
        "$ref": "#/components/schemas/Json"
      },
      "event_seq": {
        "type": "number"
      },
      "event_kind": {
        "type": "string"
      },
      "occurred_at": {
        "type": "string"
      }
    },
    "required": [
      "details",
      "event_kind",
      "event_seq",
      "occurred_at",
      "patch_seq",
      "source_invocation_id",
      "workflow_node_id",
      "workflow_subject_entity_id"
    ],
    "additionalProperties": false
  },
  "AuditRecord": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ]
      },
      "details": {
        "$ref": "#/components/schemas/Json"
      },
      "audit_kind": {
        "type": "string",
        "enum": [
          "patch_applied",
          "generation_rejected",
          "turn_complete",
          "attempt_failed",
          "call_settled",
          "attempt_set_aside"
        ]
      },
      "attempt_status": {
        "type": "string"
      },
      "attempt_number": {
        "type": [
          "number",
          "null"
        ]
      },
      "raw_response": {
        "type": [
          "string",
          "null"
        ]
      },
      "rejection": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "attempt_number",
      "attempt_status",
      "audit_kind",
      "details",
      "patch_seq",
      "raw_response",
      "rejection",
      "source_invocation_id",
      "workflow_node_id",
      "workflow_subject_entity_id"
    ],
    "additionalProperties": false
  },
  "EventRecord": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ]
      },
      "details": {
        "$ref": "#/components/schemas/Json"
      },
      "event_seq": {
        "type": "number"
      },
      "event_kind": {
        "type": "string"
      },
      "occurred_at": {
        "type": "string"
      },
      "event_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "event_before": {
        "type": [
          "string",
          "null"
        ],
        "description": "The events before and after it in the record of the attempt; null where there is none."
      },
      "event_after": {
        "type": [
          "string",
          "null"
        ]
      },
      "call": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "source_invocation_id": {
                "type": "string"
              },
              "command_key": {
                "type": "string"
              },
              "source_hash": {
                "type": "string"
              },
              "source_label": {
                "type": "string"
              },
              "workflow_hash": {
                "type": "string"
              },
              "llm_call_id": {
                "type": [
                  "string",
                  "null"
                ]
              }
            },
            "required": [
              "source_invocation_id",
              "command_key",
              "source_hash",
              "source_label",
              "workflow_hash",
              "llm_call_id"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "call",
      "details",
      "event_after",
      "event_before",
      "event_id",
      "event_kind",
      "event_seq",
      "occurred_at",
      "patch_seq",
      "source_invocation_id",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "One entry of the timeline of an attempt, with the call that it is about."
  },
  "Part_InvocationSummary": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/InvocationSummary"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "Part_ListedAgent": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedAgent"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ListedAgent": {
    "type": "object",
    "properties": {
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "agent_id": {
        "type": "string"
      },
      "status": {
        "type": "string",
        "enum": [
          "idle",
          "dispatched",
          "running",
          "suspended"
        ]
      },
      "turn_epoch": {
        "type": "number",
        "description": "Raised by each turn that it is given, in a failed attempt too, and by each take-over of one."
      },
      "active_agent_turn_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "activity": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "thinking",
          "executing_tool",
          "awaiting_tool_result",
          null
        ]
      },
      "current_tool": {
        "type": [
          "string",
          "null"
        ]
      },
      "waiting_tool_count": {
        "type": "number"
      },
      "resume_deadline": {
        "type": [
          "string",
          "null"
        ]
      },
      "latest_turn": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "agent_turn_id": {
                "type": "string"
              },
              "outcome": {
                "type": [
                  "string",
                  "null"
                ],
                "enum": [
                  "success",
                  "failed",
                  "stopped",
                  "timed_out",
                  null
                ],
                "description": "Null while it is open."
              },
              "state": {
                "type": "string",
                "description": "The turn's state in a word: its outcome, or another word of docs/terms.md."
              }
            },
            "required": [
              "agent_turn_id",
              "outcome",
              "state"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "active_agent_turn_id",
      "activity",
      "agent_id",
      "cost",
      "current_tool",
      "latest_turn",
      "resume_deadline",
      "status",
      "turn_epoch",
      "waiting_tool_count"
    ],
    "additionalProperties": false,
    "description": "An agent's state head, what all its calls in this world have cost, and its turn in the world's latest attempt: null where it had none in it."
  },
  "AttemptSummary": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failed_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_count": {
        "type": "number",
        "description": "Calls that it made itself, without adopted ones."
      },
      "calls_in_doubt": {
        "type": "number",
        "description": "Calls that have to be settled before a turn begins."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds it. One that was killed does so until its lease ends, or the embedded database is opened anew."
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "attempt_id",
      "world_slug",
      "attempted_turn",
      "status",
      "failure_class",
      "failure_message",
      "failed_subject_entity_id",
      "failed_node_id",
      "failed_source_invocation_id",
      "source_invocation_count",
      "calls_in_doubt",
      "is_driven",
      "started_at",
      "ended_at"
    ],
    "additionalProperties": false
  },
  "ComparedCall": {
    "type": "object",
    "properties": {
      "command_key": {
        "type": "string"
      },
      "comparison": {
        "$ref": "#/components/schemas/Comparison"
      },
      "before": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/InvocationSummary"
          },
          {
            "type": "null"
          }
        ]
      },
      "after": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/InvocationSummary"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "command_key",
      "comparison",
      "before",
      "after"
    ],
    "additionalProperties": false,
    "description": "One command, as two attempts performed it: its latest performance in each."
  },
  "Comparison": {
    "type": "string",
    "enum": [
      "only_before",
      "only_after",
      "adopted",
      "asked_otherwise",
      "answered_otherwise",
      "same"
    ],
    "description": "The difference between a call, or a patch, of two attempts."
  },
  "ComparedPatch": {
    "type": "object",
    "properties": {
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "comparison": {
        "$ref": "#/components/schemas/Comparison"
      },
      "before": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/PatchRecord"
          },
          {
            "type": "null"
          }
        ]
      },
      "after": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/PatchRecord"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "workflow_subject_entity_id",
      "comparison",
      "before",
      "after"
    ],
    "additionalProperties": false,
    "description": "The patch of one subject in two attempts."
  },
  "Part_AgentTurnSummary": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AgentTurnSummary"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ResolvedAgentTurn": {
    "type": "object",
    "properties": {
      "cost": {
        "$ref": "#/components/schemas/Cost"
      },
      "agent_turn_id": {
        "type": "string"
      },
      "agent_id": {
        "type": "string"
      },
      "turn_epoch": {
        "type": "number"
      },
      "outcome": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "success",
          "failed",
          "stopped",
          "timed_out",
          null
        ],
        "description": "Null while it is open."
      },
      "state": {
        "type": "string",
        "description": "The turn's state in a word: its outcome, or another word of docs/terms.md."
      },
      "deliverable_card_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "began_at": {
        "type": "string"
      },
      "worked_until": {
        "type": [
          "string",
          "null"
        ],
        "description": "When the last of its own calls ended; null while it is at work. The turn itself ends with its attempt."
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "attempt_status": {
        "type": "string"
      },
      "inbox_id": {
        "type": "string"
      },
      "context_box": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "box_id": {
                "type": "string"
              },
              "cards": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/ResolvedCard"
                }
              }
            },
            "required": [
              "box_id",
              "cards"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "The agent's task and readings; null where its nodes never began."
      },
      "output_box": {
        "type": "object",
        "properties": {
          "box_id": {
            "type": "string"
          },
          "cards": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ResolvedCard"
            }
          }
        },
        "required": [
          "box_id",
          "cards"
        ],
        "additionalProperties": false,
        "description": "Its calls and its result."
      },
      "execution_edges": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ExecutionEdgeRecord"
        }
      },
      "events": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/AgentEventRecord"
        }
      },
      "waiting_tools": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WaitingToolRecord"
        }
      }
    },
    "required": [
      "agent_id",
      "agent_turn_id",
      "attempt_id",
      "attempt_status",
      "attempted_turn",
      "began_at",
      "context_box",
      "cost",
      "deliverable_card_id",
      "ended_at",
      "events",
      "execution_edges",
      "inbox_id",
      "outcome",
      "output_box",
      "state",
      "turn_epoch",
      "waiting_tools",
      "worked_until",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An agent turn whose cards hold what was given, done and decided."
  },
  "ResolvedCard": {
    "type": "object",
    "properties": {
      "card_id": {
        "type": "string"
      },
      "kind": {
        "type": "string"
      },
      "component_hash": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ],
        "description": "The number of the patch among those of the attempt's turn."
      },
      "content": {
        "$ref": "#/components/schemas/Json"
      },
      "tells": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "of": {
                "type": "string"
              },
              "value": {
                "$ref": "#/components/schemas/Json"
              },
              "failure": {
                "anyOf": [
                  {
                    "$ref": "#/components/schemas/CallFailureRecord"
                  },
                  {
                    "type": "null"
                  }
                ]
              }
            },
            "required": [
              "of",
              "value",
              "failure"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "card_id",
      "component_hash",
      "content",
      "kind",
      "llm_call_id",
      "patch_seq",
      "source_invocation_id",
      "tells"
    ],
    "additionalProperties": false,
    "description": "A card with the value that it points to: a reading, arguments, a result, or a narration."
  },
  "CallFailureRecord": {
    "type": "object",
    "properties": {
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_detail": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "failure_class",
      "failure_detail",
      "failure_message"
    ],
    "additionalProperties": false,
    "description": "Why a call failed: three times null where it did not."
  },
  "ExecutionEdgeRecord": {
    "type": "object",
    "properties": {
      "primitive": {
        "type": "string"
      },
      "edge_phase": {
        "type": "string",
        "enum": [
          "request",
          "response"
        ]
      },
      "correlation_id": {
        "type": "string"
      },
      "trace_id": {
        "type": "string"
      },
      "parent_step_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "occurred_at": {
        "type": "string"
      }
    },
    "required": [
      "primitive",
      "edge_phase",
      "correlation_id",
      "trace_id",
      "parent_step_id",
      "occurred_at"
    ],
    "additionalProperties": false
  },
  "AgentEventRecord": {
    "type": "object",
    "properties": {
      "subject": {
        "type": "string",
        "description": "`evt.agent.<agent>.task`, `.step` or `.state`; `cmd.agent.<agent>.wakeup`. It is told in the record, and never sent."
      },
      "occurred_at": {
        "type": "string"
      },
      "payload": {
        "$ref": "#/components/schemas/JsonObject"
      }
    },
    "required": [
      "subject",
      "occurred_at",
      "payload"
    ],
    "additionalProperties": false
  },
  "WaitingToolRecord": {
    "type": "object",
    "properties": {
      "tool_call_id": {
        "type": "string"
      },
      "registered_at": {
        "type": "string"
      },
      "received_at": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "tool_call_id",
      "registered_at",
      "received_at"
    ],
    "additionalProperties": false,
    "description": "A call that a suspended turn waited for."
  },
  "ListedInvocation": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": "string"
      },
      "invocation_kind": {
        "type": "string",
        "enum": [
          "llm_generation",
          "ambient_context",
          "model_elected_tool",
          "node_call",
          "quality_gate"
        ]
      },
      "command_key": {
        "type": "string"
      },
      "ambient_source_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "tool_name": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "duration_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "From the request to the end of the answer, as its plugin measured it; null until then."
      },
      "is_superseded": {
        "type": "boolean",
        "description": "Superseded: an earlier subject has changed what its subject had read."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds its attempt."
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "started_at": {
        "type": "string"
      }
    },
    "required": [
      "ambient_source_id",
      "attempt_id",
      "attempted_turn",
      "command_key",
      "duration_ms",
      "failure_class",
      "invocation_kind",
      "is_driven",
      "is_superseded",
      "llm_call_id",
      "source_invocation_id",
      "started_at",
      "status",
      "tool_name",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A source call as a list shows it."
  },
  "InvocationRecord": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "workflow_hash": {
        "type": "string"
      },
      "source_hash": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "child_source_invocation_ids": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "The calls that it asked for, as a generation elects a tool, in the order of their issue."
      },
      "source_invocation_id": {
        "type": "string"
      },
      "model_output_kind": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_detail": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "is_superseded": {
        "type": "boolean",
        "description": "Superseded: an earlier subject has changed what its subject had read."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds its attempt."
      },
      "duration_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "From the request to the end of the answer, as its plugin measured it; null until then."
      },
      "parent_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "invocation_seq": {
        "type": "number"
      },
      "invocation_kind": {
        "type": "string",
        "enum": [
          "llm_generation",
          "ambient_context",
          "model_elected_tool",
          "node_call",
          "quality_gate"
        ]
      },
      "command_key": {
        "type": "string"
      },
      "request_hash": {
        "type": "string",
        "description": "Calls of one command with the same hash had the same request."
      },
      "performance": {
        "type": "number",
        "description": "1-based: counts the performances of its command in its attempt."
      },
      "ambient_source_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "tool_name": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "workflow_node_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "tool_loop_round": {
        "type": [
          "number",
          "null"
        ]
      },
      "logical_generation_attempt": {
        "type": [
          "number",
          "null"
        ]
      },
      "effect_class": {
        "$ref": "#/components/schemas/EffectClass"
      },
      "repeatable": {
        "type": "boolean",
        "description": "It has a side effect, and may be repeated."
      },
      "outcome_unknown": {
        "type": "boolean",
        "description": "Its side effect is unknown, and it may not be repeated: it is in doubt until it is settled."
      },
      "adopted_from": {
        "type": [
          "string",
          "null"
        ],
        "description": "The attempt that made the call, where the shown attempt has adopted it."
      },
      "settled_as": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "performed",
          "not_performed",
          null
        ],
        "description": "The settlement of a call in doubt."
      },
      "http_status": {
        "type": [
          "number",
          "null"
        ]
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "response_json": {
        "$ref": "#/components/schemas/Json",
        "description": "Redacted."
      },
      "request_json": {
        "$ref": "#/components/schemas/Json"
      },
      "input_schema_hash": {
        "type": [
          "string",
          "null"
        ]
      },
      "output_schema_hash": {
        "type": [
          "string",
          "null"
        ]
      },
      "validation_status": {
        "type": "string"
      },
      "response_headers": {
        "$ref": "#/components/schemas/JsonObject"
      },
      "response_text": {
        "type": [
          "string",
          "null"
        ],
        "description": "The body as text, where it is stored beside the answer; of a failure, redacted, else null."
      },
      "response_bytes": {
        "type": [
          "number",
          "null"
        ],
        "description": "The size of the stored body, or of the answer where there is no body; null for nothing."
      },
      "replaced": {
        "type": [
          "string",
          "null"
        ],
        "description": "The parts of the body that the answer holds in another form; null where nothing was replaced."
      },
      "hidden_by_redaction": {
        "type": "boolean",
        "description": "Whether a stored part of the answer or its body is not shown here."
      },
      "pended": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/PendedCall"
          },
          {
            "type": "null"
          }
        ],
        "description": "Null for a call that was answered at once, or has no answer yet."
      },
      "settlement": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/SettlementRecord"
          },
          {
            "type": "null"
          }
        ],
        "description": "The settlement of a call in doubt."
      },
      "policy_ruling": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/PolicyRulingRecord"
          },
          {
            "type": "null"
          }
        ],
        "description": "The decision of the tool policy; null of a call that needs no leave, and of calls of earlier versions."
      },
      "argument_origins": {
        "anyOf": [
          {
            "type": "object",
            "additionalProperties": {
              "$ref": "#/components/schemas/Origins"
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Of the request, by the pointers of its values; `\"\"` stands for all others. Null of calls of earlier versions."
      },
      "tool_result": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/ToolResultRecord"
          },
          {
            "type": "null"
          }
        ],
        "description": "Of a tool that a model has called, once the call has ended; else null."
      },
      "tool_calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ToolCallRecord"
        },
        "description": "Of a tool's call, itself; of a generation, the native tool calls of an answer that was rejected."
      }
    },
    "required": [
      "adopted_from",
      "ambient_source_id",
      "argument_origins",
      "attempt_id",
      "attempted_turn",
      "child_source_invocation_ids",
      "command_key",
      "duration_ms",
      "effect_class",
      "ended_at",
      "failure_class",
      "failure_detail",
      "failure_message",
      "hidden_by_redaction",
      "http_status",
      "input_schema_hash",
      "invocation_kind",
      "invocation_seq",
      "is_driven",
      "is_superseded",
      "llm_call_id",
      "logical_generation_attempt",
      "model_output_kind",
      "outcome_unknown",
      "output_schema_hash",
      "parent_source_invocation_id",
      "pended",
      "performance",
      "policy_ruling",
      "repeatable",
      "replaced",
      "request_hash",
      "request_json",
      "response_bytes",
      "response_headers",
      "response_json",
      "response_text",
      "settled_as",
      "settlement",
      "source_hash",
      "source_invocation_id",
      "source_label",
      "started_at",
      "status",
      "tool_calls",
      "tool_loop_round",
      "tool_name",
      "tool_result",
      "validation_status",
      "workflow_hash",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false
  },
  "PendedCall": {
    "type": "object",
    "properties": {
      "correlation_alias": {
        "type": [
          "string",
          "null"
        ],
        "description": "The service's own id of the call."
      },
      "pended_at": {
        "type": "string",
        "description": "RFC 3339."
      },
      "deadline": {
        "type": "string"
      }
    },
    "required": [
      "correlation_alias",
      "pended_at",
      "deadline"
    ],
    "additionalProperties": false,
    "description": "The facts of a pending call."
  },
  "SettlementRecord": {
    "type": "object",
    "properties": {
      "performed": {
        "type": "boolean"
      },
      "answer": {
        "$ref": "#/components/schemas/Json",
        "description": "In the requested view; null where it was not performed."
      },
      "settled_at": {
        "type": "string"
      },
      "settled_by": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/SettledBy"
          },
          {
            "type": "null"
          }
        ],
        "description": "Null for calls that earlier versions have settled; the reason also where none was given."
      },
      "host": {
        "type": [
          "string",
          "null"
        ]
      },
      "reason": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "performed",
      "answer",
      "settled_at",
      "settled_by",
      "host",
      "reason"
    ],
    "additionalProperties": false
  },
  "SettledBy": {
    "type": "string",
    "enum": [
      "operator",
      "report"
    ],
    "description": "The origin of a settlement: a person at the database, or a report."
  },
  "PolicyRulingRecord": {
    "type": "object",
    "properties": {
      "decision": {
        "type": "string",
        "enum": [
          "allow",
          "deny",
          "require_approval"
        ]
      },
      "rule": {
        "type": [
          "string",
          "null"
        ],
        "description": "The pointer of the deciding rule in the policy; null where none matches, which denies."
      },
      "because": {
        "type": "string"
      },
      "policy_hash": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null where there is no policy."
      }
    },
    "required": [
      "decision",
      "rule",
      "because",
      "policy_hash"
    ],
    "additionalProperties": false,
    "description": "What a tool policy decided about a call."
  },
  "ToolResultRecord": {
    "type": "object",
    "properties": {
      "toolCallId": {
        "type": "string",
        "description": "The same from the start of the call to its end."
      },
      "ok": {
        "type": "boolean"
      },
      "value": {
        "$ref": "#/components/schemas/Json",
        "description": "As redaction shows it; null of a failed call."
      },
      "errorCode": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/ToolErrorCode"
          },
          {
            "type": "null"
          }
        ]
      },
      "safeMessage": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "toolCallId",
      "ok",
      "value",
      "errorCode",
      "safeMessage"
    ],
    "additionalProperties": false,
    "description": "The end of a tool's call, as programs are told it."
  },
  "ToolErrorCode": {
    "type": "string",
    "enum": [
      "unavailable",
      "policy_denied",
      "authz_denied",
      "validation",
      "execution",
      "redaction_failed",
      "invalid_json"
    ]
  },
  "ToolCallRecord": {
    "type": "object",
    "properties": {
      "tool_call_start": {
        "type": "object",
        "properties": {
          "toolCallId": {
            "type": "string"
          },
          "toolName": {
            "type": "string"
          },
          "args": {
            "$ref": "#/components/schemas/Json"
          }
        },
        "required": [
          "toolCallId",
          "toolName",
          "args"
        ],
        "additionalProperties": false,
        "description": "The arguments are null where they were not accepted."
      },
      "tool_call_result": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "toolCallId": {
                "type": "string"
              },
              "result": {
                "$ref": "#/components/schemas/Json"
              }
            },
            "required": [
              "toolCallId",
              "result"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "The result as redaction shows it, or `{\"ok\": false, \"errorCode\", \"message\"}`; null until the call has ended."
      }
    },
    "required": [
      "tool_call_start",
      "tool_call_result"
    ],
    "additionalProperties": false,
    "description": "A tool call of a model, as programs are told of it. Its id is the model's where it gave one, else the call's own."
  },
  "ListedLlmCall": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": "string"
      },
      "model_output_kind": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "is_superseded": {
        "type": "boolean",
        "description": "Superseded: an earlier subject has changed what its subject had read."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds its attempt."
      },
      "llm_call_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": "string"
      },
      "model": {
        "type": [
          "string",
          "null"
        ]
      },
      "input_tokens": {
        "type": [
          "number",
          "null"
        ]
      },
      "output_tokens": {
        "type": [
          "number",
          "null"
        ]
      },
      "started_at": {
        "type": "string"
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "input_tokens",
      "is_driven",
      "is_superseded",
      "llm_call_id",
      "model",
      "model_output_kind",
      "output_tokens",
      "source_invocation_id",
      "started_at",
      "status",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A generation as a list shows it."
  },
  "LlmCallRecord": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "workflow_hash": {
        "type": "string"
      },
      "source_hash": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "child_source_invocation_ids": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "The calls that it asked for, as a generation elects a tool, in the order of their issue."
      },
      "source_invocation_id": {
        "type": "string"
      },
      "model_output_kind": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_detail": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_message": {
        "type": [
          "string",
          "null"
        ]
      },
      "is_superseded": {
        "type": "boolean",
        "description": "Superseded: an earlier subject has changed what its subject had read."
      },
      "is_driven": {
        "type": "boolean",
        "description": "A driver holds its attempt."
      },
      "duration_ms": {
        "type": [
          "number",
          "null"
        ],
        "description": "Of the source call, as its own record says; null while it runs."
      },
      "llm_call_id": {
        "type": "string"
      },
      "invocation_kind": {
        "type": "string",
        "enum": [
          "llm_generation",
          "ambient_context",
          "model_elected_tool",
          "node_call",
          "quality_gate"
        ],
        "description": "Of the source call: a gate judges the generation that is its parent."
      },
      "parent_source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "command_key": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": "string"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "logical_generation_attempt": {
        "type": "number"
      },
      "tool_loop_round": {
        "type": "number"
      },
      "interface": {
        "$ref": "#/components/schemas/JsonObject",
        "description": "The source's settings: model, temperature, seed, limits, as its author wrote them."
      },
      "model": {
        "type": [
          "string",
          "null"
        ],
        "description": "The model of the request, named by the source, its variable, or the command."
      },
      "endpoint_origin": {
        "type": [
          "string",
          "null"
        ],
        "description": "Scheme, host and port; null where nothing was sent, and of calls of earlier versions."
      },
      "schema_delivery": {
        "type": "string"
      },
      "output_schema_hash": {
        "type": "string",
        "description": "The hash of the whole schema, against which the answer is checked."
      },
      "delivered_schema_hash": {
        "type": [
          "string",
          "null"
        ],
        "description": "Of the schema as it was sent; null of calls of earlier versions."
      },
      "output_schema": {
        "$ref": "#/components/schemas/Json",
        "description": "The one schema that the model was offered."
      },
      "messages": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PromptMessage"
        }
      },
      "retrieved": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Retrieved"
          },
          {
            "type": "null"
          }
        ],
        "description": "The memories that were retrieved for it, and the query; null where its node asks for none, and of later tries."
      },
      "tries": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/TryOfLane"
        },
        "description": "The tries of its lane, from the first: itself among them, and those that its attempt has adopted."
      },
      "prefix_hash": {
        "type": "string"
      },
      "raw_text": {
        "type": "string"
      },
      "items": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnswerItem"
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "What the model said beside its text: native calls, and reasoning for its provider; null where it said nothing so."
      },
      "normalised_text": {
        "type": [
          "string",
          "null"
        ]
      },
      "finish_reason": {
        "type": [
          "string",
          "null"
        ]
      },
      "max_output_tokens": {
        "type": [
          "number",
          "null"
        ],
        "description": "The limit of its answer that budgets left; null where the source's own, or none, was sent."
      },
      "chunks": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "text": {
              "type": "string"
            },
            "offset_ms": {
              "type": "number"
            }
          },
          "required": [
            "text",
            "offset_ms"
          ],
          "additionalProperties": false
        }
      },
      "artifacts": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "kind": {
              "type": "string"
            },
            "value": {
              "$ref": "#/components/schemas/Json"
            }
          },
          "required": [
            "kind",
            "value"
          ],
          "additionalProperties": false
        }
      },
      "tokens": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "input_tokens": {
                "type": "number"
              },
              "output_tokens": {
                "type": "number"
              },
              "cached_input_tokens": {
                "type": [
                  "number",
                  "null"
                ]
              },
              "cache_written_input_tokens": {
                "type": [
                  "number",
                  "null"
                ]
              },
              "reasoning_tokens": {
                "type": [
                  "number",
                  "null"
                ]
              }
            },
            "required": [
              "input_tokens",
              "output_tokens",
              "cached_input_tokens",
              "cache_written_input_tokens",
              "reasoning_tokens"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "artifacts",
      "attempt_id",
      "attempted_turn",
      "child_source_invocation_ids",
      "chunks",
      "command_key",
      "delivered_schema_hash",
      "duration_ms",
      "ended_at",
      "endpoint_origin",
      "failure_class",
      "failure_detail",
      "failure_message",
      "finish_reason",
      "interface",
      "invocation_kind",
      "is_driven",
      "is_superseded",
      "items",
      "llm_call_id",
      "logical_generation_attempt",
      "max_output_tokens",
      "messages",
      "model",
      "model_output_kind",
      "normalised_text",
      "output_schema",
      "output_schema_hash",
      "parent_source_invocation_id",
      "prefix_hash",
      "raw_text",
      "retrieved",
      "schema_delivery",
      "source_hash",
      "source_invocation_id",
      "source_label",
      "started_at",
      "status",
      "tokens",
      "tool_loop_round",
      "tries",
      "workflow_hash",
      "workflow_node_id",
      "workflow_subject_entity_id",
      "world_slug"
    ],
    "additionalProperties": false
  },
  "PromptMessage": {
    "type": "object",
    "properties": {
      "role": {
        "type": "string"
      },
      "content": {
        "type": "string"
      },
      "segments": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "origin": {
              "type": "string"
            },
            "characters": {
              "type": "number"
            },
            "origins": {
              "$ref": "#/components/schemas/Origins"
            }
          },
          "required": [
            "origin",
            "characters",
            "origins"
          ],
          "additionalProperties": false
        }
      },
      "is_new": {
        "type": "boolean",
        "description": "It came after the try before; false in the first try of a lane."
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The generation that wrote it, or whose answer it corrects; null of an author's message."
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The call whose result it is."
      }
    },
    "required": [
      "role",
      "content",
      "segments",
      "is_new",
      "llm_call_id",
      "source_invocation_id"
    ],
    "additionalProperties": false
  },
  "Retrieved": {
    "type": "object",
    "properties": {
      "request_hash": {
        "type": "string",
        "description": "SHA-256 of the canonical query, 64 hex digits."
      },
      "query": {
        "$ref": "#/components/schemas/MemoryQuery"
      },
      "found": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/FoundMemory"
        }
      }
    },
    "required": [
      "request_hash",
      "query",
      "found"
    ],
    "additionalProperties": false,
    "description": "A search and what it found, oldest first: it is recorded with the generation that it was made for."
  },
  "MemoryQuery": {
    "type": "object",
    "properties": {
      "top": {
        "type": "number",
        "description": "The number of memories that are found."
      },
      "neighbours": {
        "type": "number",
        "enum": [
          0,
          1
        ],
        "description": "How many memories before and after each are shown with it; 0 by default."
      },
      "language": {
        "type": "string",
        "enum": [
          "simple",
          "arabic",
          "danish",
          "dutch",
          "english",
          "finnish",
          "french",
          "german",
          "greek",
          "hungarian",
          "indonesian",
          "irish",
          "italian",
          "lithuanian",
          "norwegian",
          "portuguese",
          "romanian",
          "russian",
          "spanish",
          "swedish",
          "turkish"
        ],
        "description": "The language of word stems; simple by default, which compares words as they are."
      },
      "entity_id": {
        "type": "string"
      },
      "turn": {
        "type": "number",
        "description": "The latest turn whose memories are searched."
      },
      "text": {
        "type": "string"
      },
      "skip_latest": {
        "type": "number",
        "description": "How many of the latest memories are left out: a prompt shows them already."
      },
      "skip_pinned": {
        "type": "boolean",
        "description": "Whether the memories of the scenario are left out, for the same reason."
      }
    },
    "required": [
      "entity_id",
      "turn",
      "text",
      "skip_latest",
      "skip_pinned"
    ],
    "additionalProperties": false,
    "description": "A search among the committed memories of an agent."
  },
  "FoundMemory": {
    "type": "object",
    "properties": {
      "memory_id": {
        "type": "string",
        "description": "Its turn, and its number among the memories that the agent has of that turn: `3.2`."
      },
      "turn": {
        "type": "number"
      },
      "content": {
        "type": "string"
      },
      "origins": {
        "$ref": "#/components/schemas/Origins",
        "description": "Left out where the scenario wrote it."
      },
      "sources": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Of one that an author has a node write: the ids of the memories that the node was shown."
      },
      "score": {
        "type": [
          "number",
          "null"
        ],
        "description": "By BM25, in millionths; null of a neighbour of one that was found."
      }
    },
    "required": [
      "memory_id",
      "turn",
      "content",
      "score"
    ],
    "additionalProperties": false,
    "description": "A memory that a search has found."
  },
  "TryOfLane": {
    "type": "object",
    "properties": {
      "model_output_kind": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/InvocationStatus"
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_detail": {
        "type": [
          "string",
          "null"
        ]
      },
      "llm_call_id": {
        "type": "string"
      },
      "tool_loop_round": {
        "type": "number"
      },
      "logical_generation_attempt": {
        "type": "number"
      },
      "message_count": {
        "type": "number",
        "description": "How many messages it was sent."
      },
      "elected": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "source_invocation_id": {
              "type": "string"
            },
            "tool_name": {
              "type": "string"
            }
          },
          "required": [
            "source_invocation_id",
            "tool_name"
          ],
          "additionalProperties": false
        },
        "description": "The calls of tools that it decided on, in the order of their issue."
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ],
        "description": "The patch of its turn that its answer is; null for none, and until the turn is committed."
      }
    },
    "required": [
      "elected",
      "failure_class",
      "failure_detail",
      "llm_call_id",
      "logical_generation_attempt",
      "message_count",
      "model_output_kind",
      "patch_seq",
      "status",
      "tool_loop_round"
    ],
    "additionalProperties": false,
    "description": "One generation of a lane: a subject at a node asks its model, until it has an answer."
  },
  "AnswerItem": {
    "anyOf": [
      {
        "$ref": "#/components/schemas/ReasoningItem"
      },
      {
        "$ref": "#/components/schemas/FunctionCallItem"
      }
    ],
    "description": "What a model has said of one answer beside its text."
  },
  "ReasoningItem": {
    "type": "object",
    "properties": {
      "type": {
        "type": "string",
        "const": "reasoning"
      },
      "provider": {
        "$ref": "#/components/schemas/Json"
      }
    },
    "required": [
      "type",
      "provider"
    ],
    "additionalProperties": false,
    "description": "Reasoning that the provider wants back: only its plugin reads it."
  },
  "FunctionCallItem": {
    "type": "object",
    "properties": {
      "type": {
        "type": "string",
        "const": "function_call"
      },
      "call_id": {
        "type": "string",
        "description": "The model's id; empty where it gave none."
      },
      "name": {
        "type": "string"
      },
      "arguments": {
        "type": "string",
        "description": "The arguments as one text, which should be JSON."
      },
      "provider": {
        "$ref": "#/components/schemas/Json",
        "description": "What the provider wants back with the call."
      }
    },
    "required": [
      "type",
      "call_id",
      "name",
      "arguments"
    ],
    "additionalProperties": false,
    "description": "A call of a function: the plugin has assembled it, and has not read its arguments."
  },
  "Part_ListedOrder": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedOrder"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ListedOrder": {
    "type": "object",
    "properties": {
      "wo_id": {
        "type": "string",
        "description": "`WO-<session>-<number>`: the number is that of its planned slot, so it does not depend on timing."
      },
      "session_id": {
        "type": "string",
        "description": "`SES-` and 8 letters or digits, which follow from the attempt."
      },
      "parent_wo_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The order whose result it goes on from."
      },
      "wo_type": {
        "$ref": "#/components/schemas/OrderType"
      },
      "tier_target": {
        "type": "string",
        "const": "HO1"
      },
      "state": {
        "$ref": "#/components/schemas/OrderState"
      },
      "created_at": {
        "type": "string",
        "description": "RFC 3339."
      },
      "created_by": {
        "type": "string"
      },
      "subject_id": {
        "type": "string"
      },
      "node_id": {
        "type": "string"
      },
      "input_context": {
        "type": "object",
        "properties": {
          "user_input": {
            "type": "null"
          },
          "prior_results": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "The orders whose results it reads."
          },
          "assembled_context": {
            "$ref": "#/components/schemas/JsonObject",
            "description": "The hash of the first prompt, or of the request."
          }
        },
        "required": [
          "user_input",
          "prior_results",
          "assembled_context"
        ],
        "additionalProperties": false
      },
      "constraints": {
        "$ref": "#/components/schemas/OrderConstraints"
      },
      "output_result": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "source_invocation_id": {
                "type": "string"
              },
              "answer_hash": {
                "type": [
                  "string",
                  "null"
                ]
              }
            },
            "required": [
              "source_invocation_id",
              "answer_hash"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "The hash of its result, and the call that gave it; null until it is completed."
      },
      "error": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "planning_rule": {
                "$ref": "#/components/schemas/PlanningRule"
              }
            },
            "required": [
              "reason",
              "message"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Why it failed, and which rule it broke where it was never dispatched for that."
      },
      "completed_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "cost": {
        "$ref": "#/components/schemas/OrderCost"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "completed_at",
      "constraints",
      "cost",
      "created_at",
      "created_by",
      "error",
      "input_context",
      "node_id",
      "output_result",
      "parent_wo_id",
      "session_id",
      "state",
      "subject_id",
      "tier_target",
      "wo_id",
      "wo_type",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A work order, and the attempt that is its session."
  },
  "OrderType": {
    "type": "string",
    "enum": [
      "classify",
      "tool_call",
      "synthesize",
      "execute"
    ],
    "description": "What an order asks for. All but `tool_call` ask a model."
  },
  "OrderState": {
    "type": "string",
    "enum": [
      "planned",
      "dispatched",
      "executing",
      "completed",
      "failed"
    ]
  },
  "OrderConstraints": {
    "type": "object",
    "properties": {
      "prompt_contract_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "`PC-` and 16 hex digits of the hash of prompt, schemas and limits; null of a `tool_call`."
      },
      "token_budget": {
        "type": [
          "number",
          "null"
        ],
        "description": "Null of a `tool_call`, which asks no model."
      },
      "turn_limit": {
        "type": [
          "number",
          "null"
        ],
        "description": "Generations at most."
      },
      "timeout_seconds": {
        "type": [
          "number",
          "null"
        ]
      },
      "tools_allowed": {
        "type": "array",
        "items": {
          "type": "string"
        }
      }
    },
    "required": [
      "prompt_contract_id",
      "token_budget",
      "turn_limit",
      "timeout_seconds",
      "tools_allowed"
    ],
    "additionalProperties": false,
    "description": "The limits under which an order is dispatched."
  },
  "PlanningRule": {
    "type": "string",
    "enum": [
      "type_known",
      "session_active",
      "budget_left",
      "contract_named",
      "tools_named",
      "parent_completed"
    ],
    "description": "The rules 1 to 6 of the protocol, which every order meets before it is dispatched. A budget may have nothing left for it; documents, types and the order in which nodes begin leave no way to break another rule."
  },
  "OrderCost": {
    "type": "object",
    "properties": {
      "input_tokens": {
        "type": "number"
      },
      "output_tokens": {
        "type": "number"
      },
      "total_tokens": {
        "type": "number"
      },
      "llm_calls": {
        "type": "number"
      },
      "tool_calls": {
        "type": "number"
      },
      "elapsed_ms": {
        "type": "number"
      }
    },
    "required": [
      "input_tokens",
      "output_tokens",
      "total_tokens",
      "llm_calls",
      "tool_calls",
      "elapsed_ms"
    ],
    "additionalProperties": false,
    "description": "What an order has used. Adopted calls cost nothing anew; superseded ones do."
  },
  "OrderRecord": {
    "type": "object",
    "properties": {
      "wo_id": {
        "type": "string",
        "description": "`WO-<session>-<number>`: the number is that of its planned slot, so it does not depend on timing."
      },
      "session_id": {
        "type": "string",
        "description": "`SES-` and 8 letters or digits, which follow from the attempt."
      },
      "parent_wo_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The order whose result it goes on from."
      },
      "wo_type": {
        "$ref": "#/components/schemas/OrderType"
      },
      "tier_target": {
        "type": "string",
        "const": "HO1"
      },
      "state": {
        "$ref": "#/components/schemas/OrderState"
      },
      "created_at": {
        "type": "string",
        "description": "RFC 3339."
      },
      "created_by": {
        "type": "string"
      },
      "subject_id": {
        "type": "string"
      },
      "node_id": {
        "type": "string"
      },
      "input_context": {
        "type": "object",
        "properties": {
          "user_input": {
            "type": "null"
          },
          "prior_results": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "The orders whose results it reads."
          },
          "assembled_context": {
            "$ref": "#/components/schemas/JsonObject",
            "description": "The hash of the first prompt, or of the request."
          }
        },
        "required": [
          "user_input",
          "prior_results",
          "assembled_context"
        ],
        "additionalProperties": false
      },
      "constraints": {
        "$ref": "#/components/schemas/OrderConstraints"
      },
      "output_result": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "source_invocation_id": {
                "type": "string"
              },
              "answer_hash": {
                "type": [
                  "string",
                  "null"
                ]
              }
            },
            "required": [
              "source_invocation_id",
              "answer_hash"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "The hash of its result, and the call that gave it; null until it is completed."
      },
      "error": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "planning_rule": {
                "$ref": "#/components/schemas/PlanningRule"
              }
            },
            "required": [
              "reason",
              "message"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Why it failed, and which rule it broke where it was never dispatched for that."
      },
      "completed_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "cost": {
        "$ref": "#/components/schemas/OrderCost"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "prompt_contract": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/JsonObject"
          },
          {
            "type": "null"
          }
        ],
        "description": "What its model was asked by; null of a `tool_call`."
      },
      "prompt_pack_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/OrderedCall"
        },
        "description": "In the order of their issue."
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "calls",
      "completed_at",
      "constraints",
      "cost",
      "created_at",
      "created_by",
      "error",
      "input_context",
      "node_id",
      "output_result",
      "parent_wo_id",
      "prompt_contract",
      "prompt_pack_id",
      "session_id",
      "state",
      "subject_id",
      "tier_target",
      "wo_id",
      "wo_type",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "A work order with its contract and its calls."
  },
  "OrderedCall": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": "string"
      },
      "command_key": {
        "type": "string"
      },
      "invocation_kind": {
        "type": "string"
      },
      "status": {
        "type": [
          "string",
          "null"
        ],
        "description": "Null while it is under way."
      },
      "is_superseded": {
        "type": "boolean"
      },
      "adopted_from": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "source_invocation_id",
      "command_key",
      "invocation_kind",
      "status",
      "is_superseded",
      "adopted_from"
    ],
    "additionalProperties": false,
    "description": "A call of an order."
  },
  "Part_ListedEntry": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedEntry"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ListedEntry": {
    "type": "object",
    "properties": {
      "entry_id": {
        "type": "string",
        "description": "`LED-` and 8 hex digits: it follows from the place of the entry in its attempt, and is unique there."
      },
      "tier": {
        "$ref": "#/components/schemas/Tier",
        "description": "WO_FAILED of an order that was never dispatched stands in HO2."
      },
      "event_type": {
        "$ref": "#/components/schemas/LedgerEvent"
      },
      "timestamp": {
        "type": "string",
        "description": "RFC 3339, in UTC."
      },
      "session_id": {
        "type": "string"
      },
      "wo_id": {
        "type": "string"
      },
      "details": {
        "$ref": "#/components/schemas/JsonObject",
        "description": "What the event says, by its type."
      },
      "outcome": {
        "type": "object",
        "properties": {
          "status": {
            "type": "string",
            "enum": [
              "success",
              "failure"
            ]
          }
        },
        "required": [
          "status"
        ],
        "additionalProperties": false
      },
      "metadata": {
        "type": "object",
        "properties": {
          "relational": {
            "type": "object",
            "properties": {
              "parent_event_id": {
                "type": "string"
              },
              "root_event_id": {
                "type": "string"
              },
              "related_artifacts": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Artifact"
                }
              }
            },
            "required": [
              "related_artifacts"
            ],
            "additionalProperties": false
          },
          "provenance": {
            "type": "object",
            "properties": {
              "agent_id": {
                "type": "string"
              },
              "agent_class": {
                "type": "string",
                "enum": [
                  "KERNEL.syntactic",
                  "KERNEL.semantic",
                  "ADMIN",
                  "RESIDENT"
                ]
              },
              "work_order_id": {
                "type": "string"
              },
              "session_id": {
                "type": "string"
              },
              "framework_id": {
                "type": "string"
              }
            },
            "required": [
              "agent_id",
              "agent_class",
              "session_id"
            ],
            "additionalProperties": false
          },
          "context_fingerprint": {
            "type": "object",
            "properties": {
              "context_hash": {
                "type": "string"
              },
              "prompt_pack_id": {
                "type": "string"
              },
              "tokens_used": {
                "type": "object",
                "properties": {
                  "input": {
                    "type": "number"
                  },
                  "output": {
                    "type": "number"
                  }
                },
                "required": [
                  "input",
                  "output"
                ],
                "additionalProperties": false
              },
              "model_id": {
                "type": "string"
              }
            },
            "required": [
              "context_hash"
            ],
            "additionalProperties": false,
            "description": "Of a call of a model: its prompt. Of an event that closes a chain: `context_hash` is the trace hash."
          }
        },
        "required": [
          "relational",
          "provenance"
        ],
        "additionalProperties": false
      },
      "attempt_id": {
        "type": "string"
      },
      "position": {
        "type": "number",
        "description": "1-based, in its attempt."
      }
    },
    "required": [
      "attempt_id",
      "details",
      "entry_id",
      "event_type",
      "metadata",
      "position",
      "session_id",
      "tier",
      "timestamp"
    ],
    "additionalProperties": false,
    "description": "An entry, and where it stands."
  },
  "Tier": {
    "type": "string",
    "enum": [
      "HO1",
      "HO2"
    ],
    "description": "Who sets a state: the planning tier is the driver of the attempt (HO2), the executing tier its performer (HO1)."
  },
  "LedgerEvent": {
    "type": "string",
    "enum": [
      "SESSION_BEGAN",
      "WO_PLANNED",
      "WO_DISPATCHED",
      "WO_CHAIN_COMPLETE",
      "WO_QUALITY_GATE",
      "SESSION_ENDED",
      "CALL_SETTLED",
      "APPROVAL_ASKED",
      "APPROVAL_DECIDED",
      "AMBIENT_CALL",
      "WO_EXECUTING",
      "LLM_CALL",
      "TOOL_CALL",
      "WO_COMPLETED",
      "WO_FAILED"
    ],
    "description": "The events of both ledgers: what was decided, and what was done."
  },
  "Artifact": {
    "type": "object",
    "properties": {
      "type": {
        "type": "string",
        "enum": [
          "package",
          "framework",
          "spec",
          "file",
          "registry",
          "ledger_entry"
        ]
      },
      "id": {
        "type": "string"
      }
    },
    "required": [
      "type",
      "id"
    ],
    "additionalProperties": false
  },
  "Finding": {
    "type": "object",
    "properties": {
      "code": {
        "type": "string",
        "description": "One of docs/problems.md."
      },
      "message": {
        "type": "string"
      },
      "repair": {
        "type": "string"
      },
      "attempt_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "seal_seq": {
        "type": [
          "number",
          "null"
        ]
      },
      "entry_id": {
        "type": [
          "string",
          "null"
        ],
        "description": "The first entry that is not as it was sealed."
      },
      "event_type": {
        "type": [
          "string",
          "null"
        ]
      },
      "wo_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      }
    },
    "required": [
      "code",
      "message",
      "repair",
      "attempt_id",
      "seal_seq",
      "entry_id",
      "event_type",
      "wo_id",
      "source_invocation_id"
    ],
    "additionalProperties": false,
    "description": "What is wrong, and where."
  },
  "Part_ApprovalRecord": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ApprovalRecord"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ApprovalStats": {
    "type": "object",
    "properties": {
      "rules": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "never_denied": {
              "type": "boolean",
              "description": "A gate that decides nothing: it was asked ten times or more, and never denied."
            },
            "rule": {
              "type": "string"
            },
            "tool_name": {
              "type": "string"
            },
            "asked": {
              "type": "number"
            },
            "approved": {
              "type": "number"
            },
            "denied": {
              "type": "number"
            },
            "expired": {
              "type": "number"
            },
            "by_grant": {
              "type": "number"
            },
            "median_ms": {
              "type": [
                "number",
                "null"
              ],
              "description": "Of decisions by a person: the median in milliseconds; null without one."
            },
            "hasty": {
              "type": [
                "number",
                "null"
              ],
              "description": "Of decisions by a person: the share made in under 3 seconds, from 0 to 1; null without one."
            }
          },
          "required": [
            "approved",
            "asked",
            "by_grant",
            "denied",
            "expired",
            "hasty",
            "median_ms",
            "never_denied",
            "rule",
            "tool_name"
          ]
        }
      }
    },
    "required": [
      "rules"
    ],
    "additionalProperties": false,
    "description": "The rules by which persons are asked, and how they decide."
  },
  "Part_GrantRecord": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/GrantRecord"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "Waiting": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedMessage"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      },
      "worlds": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WaitingWorld"
        },
        "description": "The worlds with queued turns or waiting attempts, by name."
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WaitingAttempt"
        },
        "description": "Attempts that are suspended until an answer, or until a person settles a call in doubt."
      },
      "approvals": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ApprovalRecord"
        },
        "description": "The calls that wait for a person, by world, the oldest first; at most 200."
      }
    },
    "required": [
      "approvals",
      "attempts",
      "next",
      "rows",
      "worlds"
    ],
    "additionalProperties": false,
    "description": "Pending messages and suspended attempts."
  },
  "WaitingWorld": {
    "type": "object",
    "properties": {
      "world_slug": {
        "type": "string"
      },
      "queued_turns": {
        "type": "number"
      },
      "put_off": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "reason": {
                "type": "string"
              },
              "until": {
                "type": "string"
              }
            },
            "required": [
              "reason",
              "until"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Why the first one is deferred, and until when (RFC 3339)."
      },
      "waiting_attempts": {
        "type": "number"
      },
      "waited_calls": {
        "type": "number",
        "description": "The calls that these wait for, as far as they are listed."
      }
    },
    "required": [
      "put_off",
      "queued_turns",
      "waited_calls",
      "waiting_attempts",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "What waits in one world."
  },
  "WaitingAttempt": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      },
      "waits_for": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/WaitedCall"
        }
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "ended_at",
      "started_at",
      "status",
      "waits_for",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An attempt that waits, with the calls that it waits for."
  },
  "WaitedCall": {
    "type": "object",
    "properties": {
      "source_invocation_id": {
        "type": "string"
      },
      "command_key": {
        "type": "string"
      },
      "source_label": {
        "type": "string"
      },
      "deadline": {
        "type": [
          "string",
          "null"
        ],
        "description": "Then the call fails; null of a call in doubt, which waits until somebody settles it."
      }
    },
    "required": [
      "source_invocation_id",
      "command_key",
      "source_label",
      "deadline"
    ],
    "additionalProperties": false
  },
  "Part_StoredComponent": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/StoredComponent"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "DocumentPage": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedInvocation"
        },
        "description": "The latest calls of a source, by a workflow, or with a schema; none for other kinds."
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedAttempt"
        },
        "description": "The latest attempts that made such calls."
      },
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string",
        "description": "SHA-256 of the canonical form, 64 hex digits."
      },
      "refers_to": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "used_by": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "worlds": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Worlds that have it; of scenarios only."
      },
      "content": {
        "$ref": "#/components/schemas/JsonObject"
      }
    },
    "required": [
      "attempts",
      "calls",
      "content",
      "hash",
      "kind",
      "refers_to",
      "used_by",
      "worlds"
    ]
  },
  "ListedAttempt": {
    "type": "object",
    "properties": {
      "attempt_id": {
        "type": "string"
      },
      "world_slug": {
        "type": "string"
      },
      "attempted_turn": {
        "type": "number"
      },
      "started_at": {
        "type": "string"
      },
      "ended_at": {
        "type": [
          "string",
          "null"
        ]
      },
      "status": {
        "$ref": "#/components/schemas/AttemptStatus"
      }
    },
    "required": [
      "attempt_id",
      "attempted_turn",
      "ended_at",
      "started_at",
      "status",
      "world_slug"
    ],
    "additionalProperties": false,
    "description": "An attempt as a list of many worlds shows it."
  },
  "ComponentSummary": {
    "type": "object",
    "properties": {
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string",
        "description": "SHA-256 of the canonical form, 64 hex digits."
      },
      "label": {
        "type": [
          "string",
          "null"
        ],
        "description": "Its `label`, or a schema's `title` or `$id`."
      }
    },
    "required": [
      "hash",
      "kind",
      "label"
    ],
    "additionalProperties": false,
    "description": "A stored document as a list shows it."
  },
  "WorkflowPage": {
    "type": "object",
    "properties": {
      "calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedInvocation"
        },
        "description": "The latest calls of a source, by a workflow, or with a schema; none for other kinds."
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedAttempt"
        },
        "description": "The latest attempts that made such calls."
      },
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string",
        "description": "SHA-256 of the canonical form, 64 hex digits."
      },
      "refers_to": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "used_by": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "worlds": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Worlds that have it; of scenarios only."
      },
      "content": {
        "$ref": "#/components/schemas/JsonObject"
      },
      "prompts": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        },
        "description": "Texts of prompt files, by hash."
      },
      "chosen": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "attempt_id": {
                "type": "string"
              },
              "resolved": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/ResolvedPrompt"
                }
              }
            },
            "required": [
              "attempt_id",
              "resolved"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ],
        "description": "Null where no attempt has run it, and for consumers: prompts are for operators. At most 10 prompts."
      }
    },
    "required": [
      "attempts",
      "calls",
      "chosen",
      "content",
      "hash",
      "kind",
      "prompts",
      "refers_to",
      "used_by",
      "worlds"
    ],
    "additionalProperties": false,
    "description": "A workflow with its prompts, and how an attempt resolved them."
  },
  "ResolvedPrompt": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "llm_call_id": {
        "type": "string"
      },
      "workflow_node_id": {
        "type": "string"
      },
      "workflow_subject_entity_id": {
        "type": "string"
      },
      "messages": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/PromptMessage"
        }
      }
    },
    "required": [
      "llm_call_id",
      "messages",
      "workflow_node_id",
      "workflow_subject_entity_id"
    ],
    "description": "A first generation of a node in an attempt: its messages are the node's prompt with every placeholder resolved."
  },
  "UsesOfComponent": {
    "type": "object",
    "properties": {
      "refers_to": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "used_by": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComponentSummary"
        }
      },
      "worlds": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Worlds that have it; of scenarios only."
      },
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string",
        "description": "SHA-256 of the canonical form, 64 hex digits."
      },
      "label": {
        "type": [
          "string",
          "null"
        ],
        "description": "Its `label`, or a schema's `title` or `$id`."
      },
      "calls": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedInvocation"
        },
        "description": "The latest calls of a source, by a workflow, or with a schema; none for other kinds."
      },
      "attempts": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedAttempt"
        },
        "description": "The latest attempts that made such calls."
      }
    },
    "required": [
      "attempts",
      "calls",
      "hash",
      "kind",
      "label",
      "refers_to",
      "used_by",
      "worlds"
    ],
    "additionalProperties": false
  },
  "Part_ListedStudy": {
    "type": "object",
    "properties": {
      "rows": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ListedStudy"
        }
      },
      "next": {
        "type": [
          "string",
          "null"
        ],
        "description": "The cursor of the next part; null at the end."
      }
    },
    "required": [
      "rows",
      "next"
    ],
    "additionalProperties": false
  },
  "ListedStudy": {
    "type": "object",
    "properties": {
      "study_label": {
        "type": "string"
      },
      "question": {
        "type": "string"
      },
      "sealed_at": {
        "type": "string"
      },
      "runs": {
        "type": "number"
      },
      "runs_done": {
        "type": "number",
        "description": "Those that have played all their turns."
      }
    },
    "required": [
      "study_label",
      "question",
      "sealed_at",
      "runs",
      "runs_done"
    ],
    "additionalProperties": false,
    "description": "A study in a list."
  },
  "StudyPage": {
    "type": "object",
    "properties": {
      "study_label": {
        "type": "string"
      },
      "question": {
        "type": "string"
      },
      "description": {
        "type": [
          "string",
          "null"
        ]
      },
      "study_hash": {
        "type": "string",
        "description": "Of all that its results depend on."
      },
      "answered_by": {
        "type": "string",
        "description": "A script by its label and content, models by their names, or workers; `unknown` of a study from before this was sealed."
      },
      "sealed_at": {
        "type": "string"
      },
      "conditions": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "seeds": {
        "type": "number"
      },
      "runs_done": {
        "type": "number"
      },
      "runs_failed": {
        "type": "number",
        "description": "They count in every table, and in no mean."
      },
      "measures": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Summary"
        },
        "description": "Each measure of each condition, of the runs that are done."
      },
      "hypotheses": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/JudgedHypothesis"
        }
      },
      "runs": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ShownRun"
        }
      },
      "cost": {
        "$ref": "#/components/schemas/Cost"
      }
    },
    "required": [
      "study_label",
      "question",
      "description",
      "study_hash",
      "answered_by",
      "sealed_at",
      "conditions",
      "seeds",
      "runs_done",
      "runs_failed",
      "measures",
      "hypotheses",
      "runs",
      "cost"
    ],
    "additionalProperties": false,
    "description": "What a study has found out so far."
  },
  "Summary": {
    "type": "object",
    "properties": {
      "condition": {
        "type": "string"
      },
      "measure": {
        "type": "string"
      },
      "n": {
        "type": "number",
        "description": "The runs whose value counts."
      },
      "failed": {
        "type": "number",
        "description": "Runs that have failed: shown, and in no mean."
      },
      "empty": {
        "type": "number",
        "description": "Runs in which there was nothing to measure."
      },
      "mean": {
        "type": [
          "number",
          "null"
        ]
      },
      "interval": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Interval"
          },
          {
            "type": "null"
          }
        ],
        "description": "Of the mean, by a seeded bootstrap of 95 %; null where fewer than two runs count."
      }
    },
    "required": [
      "condition",
      "measure",
      "n",
      "failed",
      "empty",
      "mean",
      "interval"
    ],
    "additionalProperties": false,
    "description": "One measure of all runs of one condition."
  },
  "Interval": {
    "type": "array",
    "minItems": 2,
    "items": false,
    "maxItems": 2,
    "prefixItems": [
      {
        "type": "number",
        "title": "low"
      },
      {
        "type": "number",
        "title": "high"
      }
    ]
  },
  "JudgedHypothesis": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "says": {
        "type": "string"
      },
      "measure": {
        "type": "string",
        "description": "Lower-case letters and digits, joined by single hyphens or underscores."
      },
      "compare": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/ComparedLevels"
        },
        "description": "Two sides, each of all conditions with these levels. The difference is the first less the second, seed by seed."
      },
      "hypothesis": {
        "type": "string"
      },
      "verdict": {
        "$ref": "#/components/schemas/Verdict"
      },
      "n": {
        "type": "number",
        "description": "The seeds in which both sides have a value."
      },
      "left_out": {
        "type": "number",
        "description": "The seeds left out, because a run of them has failed or measured nothing."
      },
      "difference": {
        "type": [
          "number",
          "null"
        ],
        "description": "The first side less the second, in the mean of seeds; null where no seed has both."
      },
      "interval": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/Interval"
          },
          {
            "type": "null"
          }
        ]
      },
      "pairs": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/SeedDifference"
        },
        "description": "By seed, in ascending order."
      },
      "confidence": {
        "type": "number",
        "description": "Of the interval: what the hypothesis asks for, or more where several are decided together."
      },
      "because": {
        "type": "string",
        "description": "The reason of the verdict, in one sentence."
      },
      "caution": {
        "type": [
          "string",
          "null"
        ],
        "description": "Why the interval says little of how other seeds would differ; null where it does not."
      }
    },
    "required": [
      "because",
      "caution",
      "compare",
      "confidence",
      "difference",
      "hypothesis",
      "interval",
      "left_out",
      "measure",
      "n",
      "pairs",
      "says",
      "verdict"
    ],
    "description": "A hypothesis, and what the runs say of it."
  },
  "ComparedLevels": {
    "type": "object",
    "additionalProperties": {
      "$ref": "#/components/schemas/LevelId"
    },
    "description": "Levels by the names of their variables."
  },
  "LevelId": {
    "type": "string",
    "description": "Lower-case letters and digits, joined by single hyphens."
  },
  "Verdict": {
    "type": "string",
    "enum": [
      "supported",
      "not_supported",
      "undecided"
    ]
  },
  "SeedDifference": {
    "type": "object",
    "properties": {
      "seed": {
        "type": "number"
      },
      "difference": {
        "type": "number"
      }
    },
    "required": [
      "seed",
      "difference"
    ],
    "additionalProperties": false,
    "description": "The difference of the runs of one seed."
  },
  "ShownRun": {
    "type": "object",
    "properties": {
      "condition": {
        "type": "string"
      },
      "seed": {
        "type": "number"
      },
      "world_slug": {
        "type": "string"
      },
      "state": {
        "type": "string",
        "description": "`new` where it has not begun; `done` where it has played all its turns."
      },
      "turn": {
        "type": [
          "number",
          "null"
        ],
        "description": "Its latest committed turn; null where its world has not been made."
      },
      "until_turn": {
        "type": "number"
      },
      "roster": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "The order in which its agents act."
      },
      "attempt_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "values": {
        "type": "object",
        "additionalProperties": {
          "type": [
            "number",
            "null"
          ]
        },
        "description": "By measure; null where there was nothing to measure, and left out until the run is done."
      }
    },
    "required": [
      "condition",
      "seed",
      "world_slug",
      "state",
      "turn",
      "until_turn",
      "roster",
      "attempt_id",
      "failure_class",
      "values"
    ],
    "additionalProperties": false,
    "description": "A run of a study."
  },
  "SearchHit": {
    "type": "object",
    "properties": {
      "entry": {
        "type": "string",
        "description": "The id of the text, which is the cursor for later hits."
      },
      "kind": {
        "$ref": "#/components/schemas/SearchKind"
      },
      "world_slug": {
        "type": "string"
      },
      "attempt_id": {
        "type": "string"
      },
      "turn": {
        "type": "number"
      },
      "workflow_subject_entity_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "source_label": {
        "type": [
          "string",
          "null"
        ]
      },
      "failure_class": {
        "type": [
          "string",
          "null"
        ]
      },
      "patch_seq": {
        "type": [
          "number",
          "null"
        ],
        "description": "Of a narration or a state."
      },
      "source_invocation_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "llm_call_id": {
        "type": [
          "string",
          "null"
        ]
      },
      "snippet": {
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/SnippetPart"
        }
      },
      "rank": {
        "type": "number",
        "description": "The rank of the match, from frequency and distance of the words in the text; 0 without words."
      }
    },
    "required": [
      "entry",
      "kind",
      "world_slug",
      "attempt_id",
      "turn",
      "workflow_subject_entity_id",
      "source_label",
      "failure_class",
      "patch_seq",
      "source_invocation_id",
      "llm_call_id",
      "snippet",
      "rank"
    ],
    "additionalProperties": false,
    "description": "A text that was found, and its place."
  },
  "SearchKind": {
    "type": "string",
    "enum": [
      "narration",
      "state",
      "prompt",
      "answer",
      "result"
    ]
  },
  "SnippetPart": {
    "type": "object",
    "properties": {
      "text": {
        "type": "string"
      },
      "is_match": {
        "type": "boolean",
        "description": "Whether it matches."
      }
    },
    "required": [
      "text",
      "is_match"
    ],
    "additionalProperties": false,
    "description": "A part of an excerpt."
  },
  "PutDocument": {
    "type": "object",
    "properties": {
      "kind": {
        "$ref": "#/components/schemas/ComponentKind"
      },
      "hash": {
        "type": "string"
      },
      "path": {
        "type": "string",
        "description": "Relative to the working folder where it is below, or `chukwa:` and the name of a schema that ships."
      }
    },
    "required": [
      "kind",
      "hash",
      "path"
    ],
    "additionalProperties": false
  },
  "SentDocument": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "By which the other documents of the request refer to it, such as `cast/bob.json`."
      },
      "content": {
        "$ref": "#/components/schemas/Json",
        "description": "JSON, or the text of a prompt."
      }
    },
    "required": [
      "path",
      "content"
    ],
    "additionalProperties": false,
    "description": "A document that a request holds."
  },
  "ListedPlugin": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "description": {
        "type": "string"
      },
      "speaks": {
        "type": "string",
        "enum": [
          "json",
          "chat"
        ]
      },
      "version": {
        "type": "string"
      }
    },
    "required": [
      "name",
      "description",
      "speaks",
      "version"
    ],
    "additionalProperties": false,
    "description": "A plugin as an author chooses it."
  },
  "Json": {
    "description": "A JSON value. Nothing else crosses a boundary of the engine."
  }
};
