import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Refuses classes that name what the oldest platform lacks, unless GUARDED lists where that is guarded.
 *
 * <pre>java -cp asm.jar Lacking.java SHIPPED.jar PLATFORM.jar GUARDED.txt</pre>
 *
 * <p>Each class, method and field that SHIPPED names and does not have itself must be in PLATFORM, or in a line of
 * GUARDED: what is named, who names it, and which method checks the platform's version before.
 *
 * <pre>android/app/Service.startForeground(ILandroid/app/Notification;I)V  by a/Main.run  behind a/Main.run</pre>
 *
 * <p>Names that begin with {@code java/} are compared with this computer's Java: the compiler runs
 * for Java 8 and has already refused newer ones.
 *
 * <p>The guarding method must read {@code Build.VERSION.SDK_INT}. A line that nothing needs is refused, too.
 */
public final class Lacking {
  private static final String VERSION = "android/os/Build$VERSION";

  /** A class: its parents, and its methods and fields by name and type. */
  private record Known(List<String> parents, Set<String> members) {}

  /** Something named, and the method that names it. */
  private record Use(String what, String by) implements Comparable<Use> {
    @Override
    public int compareTo(Use other) {
      return (what + by).compareTo(other.what + other.by);
    }
  }

  private final Map<String, Known> known = new HashMap<>();
  private final Set<String> looksAtVersion = new HashSet<>();
  private final TreeSet<Use> lacking = new TreeSet<>();

  public static void main(String[] arguments) throws IOException {
    Lacking check = new Lacking();
    SortedMap<String, ClassReader> shipped = read(Path.of(arguments[0]));
    shipped.values().forEach(check::learn);
    read(Path.of(arguments[1])).forEach((name, reader) -> {
      if (!check.known.containsKey(name)) check.learn(reader);
    });
    shipped.values().forEach(check::look);
    List<String> problems = check.problems(Files.readAllLines(Path.of(arguments[2])));
    problems.forEach(System.err::println);
    if (!problems.isEmpty()) System.exit(1);
    System.out.println(shipped.size() + " classes name nothing unguarded that the oldest platform lacks");
  }

  private static SortedMap<String, ClassReader> read(Path jar) throws IOException {
    SortedMap<String, ClassReader> classes = new TreeMap<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(each -> (ZipEntry) each)::iterator) {
        if (!entry.getName().endsWith(".class") || entry.getName().startsWith("META-INF/")) continue;
        ClassReader reader = new ClassReader(zip.getInputStream(entry).readAllBytes());
        classes.put(reader.getClassName(), reader);
      }
    }
    return classes;
  }

  private void learn(ClassReader reader) {
    List<String> parents = new ArrayList<>(List.of(reader.getInterfaces()));
    if (reader.getSuperName() != null) parents.add(reader.getSuperName());
    Set<String> members = new HashSet<>();
    known.put(reader.getClassName(), new Known(parents, members));
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
            members.add(name + type);
            return null;
          }

          @Override
          public FieldVisitor visitField(int access, String name, String type, String generic, Object value) {
            members.add(name + ":" + type);
            return null;
          }
        },
        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
  }

  private void look(ClassReader reader) {
    String own = reader.getClassName();
    parentsOf(reader).forEach(parent -> needClass(parent, own));
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
            return new Body(own + "." + name);
          }
        },
        ClassReader.SKIP_DEBUG);
  }

  private static List<String> parentsOf(ClassReader reader) {
    List<String> parents = new ArrayList<>(List.of(reader.getInterfaces()));
    parents.add(reader.getSuperName());
    return parents;
  }

  private void needClass(String name, String by) {
    String element = name.replaceFirst("^\\[+L?", "").replaceFirst(";$", "");
    boolean isPrimitive = name.startsWith("[") && element.length() == 1;
    if (!isPrimitive && !isKnown(element)) lacking.add(new Use(element, by));
  }

  /** The platform's jars do not hold Java's own classes, so those of this computer are used. */
  private boolean isKnown(String name) {
    if (known.containsKey(name)) return true;
    if (!name.startsWith("java/") && !name.startsWith("javax/")) return false;
    try {
      learn(new ClassReader(name));
      return true;
    } catch (IOException missing) {
      return false;
    }
  }

  private void needMember(String owner, String member, String by) {
    needClass(owner, by);
    if (owner.startsWith("[") || !isKnown(owner)) return;
    if (!has(owner, member)) lacking.add(new Use(owner + "." + member, by));
  }

  /** A class with unknown parents counts as having everything: the missing parents are reported already. */
  private boolean has(String owner, String member) {
    if (!isKnown(owner)) return true;
    Known of = known.get(owner);
    return of.members.contains(member) || of.parents.stream().anyMatch(each -> has(each, member));
  }

  private final class Body extends MethodVisitor {
    private final String by;

    private Body(String by) {
      super(Opcodes.ASM9);
      this.by = by;
    }

    @Override
    public void visitMethodInsn(int code, String owner, String name, String type, boolean isInterface) {
      // The platform itself makes these for each use.
      if (!owner.equals("java/lang/invoke/MethodHandle")) needMember(owner, name + type, by);
    }

    @Override
    public void visitFieldInsn(int code, String owner, String name, String type) {
      if (owner.equals(VERSION) && name.equals("SDK_INT")) looksAtVersion.add(by);
      needMember(owner, name + ":" + type, by);
    }

    @Override
    public void visitTypeInsn(int code, String type) {
      needClass(type, by);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      if (type != null) needClass(type, by);
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof Type type && type.getSort() == Type.OBJECT) needClass(type.getInternalName(), by);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String type, Handle maker, Object... arguments) {
      lacking.add(new Use("invokedynamic", by));
    }
  }

  private List<String> problems(List<String> lines) {
    List<String> problems = new ArrayList<>();
    Set<Use> guarded = new HashSet<>();
    for (String line : lines) {
      String[] words = line.strip().split("\\s+");
      if (line.isBlank() || line.startsWith("#")) continue;
      if (words.length != 5 || !words[1].equals("by") || !words[3].equals("behind")) {
        problems.add("not a line of guarded names: " + line);
        continue;
      }
      guarded.add(new Use(words[0], words[2]));
      if (!looksAtVersion.contains(words[4])) problems.add(words[4] + " does not look at the platform's version");
      if (!lacking.contains(new Use(words[0], words[2]))) problems.add("nothing needs the line: " + line);
    }
    for (Use use : lacking) {
      if (!guarded.contains(use)) problems.add(use.what + "  by " + use.by + " is not in the oldest platform");
    }
    return problems;
  }
}
