console.log("as the machine has it");
